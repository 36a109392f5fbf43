"""Training of the heads whose runtime is `mags.models.policy.heads`."""
