"""Lower bounds: what no schedule of a profile can beat."""
