"""What every request passes: limits on its body, an id, a log line, metrics."""
