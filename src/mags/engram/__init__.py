"""Engram: what a turn leaves behind - linked, compared, judged and wired, as a Draft."""
