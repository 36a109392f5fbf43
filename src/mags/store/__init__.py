"""Stores: RamStore lasts as long as the process, SqliteStore keeps everything in one file."""
