"""Text that people wrote, with the facts in it, as samples of the write policy."""
