"""Profiles and runs from something less than a measurement: a model's shape, a profiler's trace."""
