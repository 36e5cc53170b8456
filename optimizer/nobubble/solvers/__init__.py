"""Solvers: from a problem to the best order that they find."""
