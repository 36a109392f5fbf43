"""nano: a Llama of a few million weights, trained here from nothing, and its tokenizer."""
