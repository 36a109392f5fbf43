"""The plane in which anchors cover ground."""
