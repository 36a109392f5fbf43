"""The generator: phrases, names and fillers become turns with their right memory tokens."""
