"""Prompts of players that are language models."""
