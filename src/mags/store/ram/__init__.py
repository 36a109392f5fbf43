"""RamStore: a store that lives and dies with the process, with all the laws of the durable one."""

from mags.store.ram.store import RamStore

__all__ = ["RamStore"]
