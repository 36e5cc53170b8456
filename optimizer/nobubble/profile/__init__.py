"""From a profile file to a complete `Profile`."""
