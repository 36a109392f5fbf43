"""Trained models in the forms in which they are run: ONNX without torch, GGUF for llama.cpp."""
