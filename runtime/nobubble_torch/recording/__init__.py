"""What a runtime really did: `nobubble.run/1`."""

from nobubble_torch.recording.record import Recording, record

__all__ = ["Recording", "record"]
