"""Asking a service that `nobubble serve` runs. httpx is imported when it is used."""
