"""The command line of nobubble."""
