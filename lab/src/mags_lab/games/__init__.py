"""Games that a memory is proved on, and those who play them."""
