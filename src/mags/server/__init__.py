"""The memory over HTTP: namespaces, keys, routes, events."""
