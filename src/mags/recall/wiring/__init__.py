"""What use has wired together comes back together."""
