"""nobubble plans pipeline-parallel training of large models."""
