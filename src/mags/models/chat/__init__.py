"""Language models: any OpenAI-compatible endpoint, and a scripted one for tests."""
