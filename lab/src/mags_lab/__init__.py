"""The laboratory: training, games and their players, evaluation. It imports `mags`; never back."""
