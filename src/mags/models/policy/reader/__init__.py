"""The trained reader: what a turn of talk tells, by a small encoder fine-tuned on talk."""
