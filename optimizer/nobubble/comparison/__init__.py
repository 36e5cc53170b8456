"""The families of schedules that a model can run under, side by side."""
