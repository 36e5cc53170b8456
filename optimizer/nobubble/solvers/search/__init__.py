"""Local search: from good schedules to better ones."""
