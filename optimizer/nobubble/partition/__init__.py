"""Which layers each stage gets."""
