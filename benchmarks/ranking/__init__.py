"""Fitting the ranking: memories built from licence-clean sets, their features, the fit."""
