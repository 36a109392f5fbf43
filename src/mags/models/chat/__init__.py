"""Language models behind one port: any OpenAI-compatible endpoint, and a scripted fake."""
