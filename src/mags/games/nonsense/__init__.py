"""The novel game: a made-up world of arbitrary rules, which change while it is played."""
