"""An OpenAI-compatible proxy: any client's model gains a memory by another `base_url`."""
