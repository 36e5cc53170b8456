"""A nobubble service as the command line uses it."""
