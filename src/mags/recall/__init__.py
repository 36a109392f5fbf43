"""Recall: a plan becomes candidates, anchors, a spread, a ranking, units and a trace."""
