"""Commands that print the figures of README and docs: ``python -m benchmarks.NAME``."""
