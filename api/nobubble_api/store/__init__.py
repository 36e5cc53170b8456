"""Where the service keeps its jobs, their events and the schedules: SQLite or PostgreSQL."""
