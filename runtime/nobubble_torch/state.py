"""What a forward changes besides activations: random numbers, and buffers such as statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


class Before:
    """Random numbers and buffers of some stages as they are now, to put them back.

    Parameters
    ----------
    stages : sequence of PipelineStage
    """

    def __init__(self, stages: Sequence[Any]) -> None:
        self._random = torch.get_rng_state()
        devices = {stage.device for stage in stages if stage.device.type == "cuda"}
        self._on_devices = {device: torch.cuda.get_rng_state(device) for device in devices}
        self._buffers = [
            (buffer, buffer.detach().clone())
            for stage in stages
            for buffer in stage.submod.buffers()
        ]

    @torch.no_grad()
    def put_back(self) -> None:
        """Put them back."""
        torch.set_rng_state(self._random)
        for device, state in self._on_devices.items():
            torch.cuda.set_rng_state(state, device)
        for buffer, value in self._buffers:
            buffer.copy_(value)
