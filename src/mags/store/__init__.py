"""The durable side: RamStore keeps nothing, SqliteStore everything."""
