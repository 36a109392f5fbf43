"""Answers from recalled memories: by a language model, or by quoting the best of them."""
