"""Those who play: all with the same reader, each with another memory."""
