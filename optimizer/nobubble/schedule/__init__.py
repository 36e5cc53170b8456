"""The schedule document, `nobubble.schedule/1`: building, writing and reading it."""
