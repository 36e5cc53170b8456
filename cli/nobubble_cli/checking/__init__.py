"""Committed schedules against their profiles: what `nobubble check` does."""
