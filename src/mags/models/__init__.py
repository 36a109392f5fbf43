"""Models behind the ports: embedders, chat, policies."""
