"""Games played live over HTTP, beside the routes of MAGS."""
