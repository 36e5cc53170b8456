"""Replaying a schedule: what its order costs when ops and transfers take other times."""
