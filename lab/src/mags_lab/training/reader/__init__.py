"""A made-up world to train the games' reader on, and its training: no game is known here."""
