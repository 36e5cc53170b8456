"""Copies of what an optimizer's step changes, to put it back."""

from __future__ import annotations

from typing import Any

import torch


class Kept:
    """Parameters, gradients, state and settings of an optimizer as they were before a step.

    Copies, since a step cannot be undone by arithmetic bit for bit: even AdamW's, with its
    gradients at hand, rounds differently on the way back.

    Parameters
    ----------
    optimizer : Optimizer
    """

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self._optimizer = optimizer
        self._tensors: dict[tuple[torch.Tensor, str | None], torch.Tensor] = {}
        self._others: dict[torch.Tensor, dict[str, Any]] = {}
        self._gradients: dict[torch.Tensor, torch.Tensor] = {}
        self._seen: dict[torch.Tensor, tuple[torch.Tensor, int]] = {}
        self._settings: list[dict[str, Any]] = []

    @torch.no_grad()
    def keep(self) -> None:
        """Copy everything, into the copies of last time where they fit."""
        copies: dict[tuple[torch.Tensor, str | None], torch.Tensor] = {}
        self._others = {}
        for parameter in self._parameters():
            if parameter.grad is None:
                continue
            self._copy(copies, (parameter, None), parameter)
            others = self._others[parameter] = {}
            for name, value in self._optimizer.state.get(parameter, {}).items():
                if isinstance(value, torch.Tensor):
                    self._copy(copies, (parameter, name), value)
                else:
                    others[name] = value
            self._gradients[parameter] = parameter.grad.detach().clone()
        self._tensors = copies
        self._seen = self._see()

    def note_gradients(self) -> None:
        """Note the gradients as they are after a step, or where none was taken.

        Copies of those that it left as they were are not needed. It may overwrite them: SGD with
        Nesterov's momentum does, in the form that PyTorch chooses on GPUs.
        """
        now = self._see()
        self._gradients = {
            parameter: copy
            for parameter, copy in self._gradients.items()
            if self._seen[parameter][1] != now[parameter][1]
        }
        self._seen = now

    def has_gradients(self) -> bool:
        """Whether gradients are still those that were noted: not cleared, changed or replaced."""
        now = self._see()
        return self._seen.keys() == now.keys() and all(
            gradient is now[parameter][0] and version == now[parameter][1]
            for parameter, (gradient, version) in self._seen.items()
        )

    def forget_gradients(self) -> None:
        """Let go of the step's gradients, once it is validated."""
        self._gradients, self._seen = {}, {}

    def note_settings(self) -> None:
        """Note the settings of a step, which may be changed before it is put right."""
        self._settings = self.settings()

    def settings(self) -> list[dict[str, Any]]:
        """Give the settings of every group of parameters, such as the learning rate."""
        return [
            {
                name: value.clone() if isinstance(value, torch.Tensor) else value
                for name, value in group.items()
                if name != "params"
            }
            for group in self._optimizer.param_groups
        ]

    @torch.no_grad()
    def put_back(self) -> None:
        """Put parameters, gradients and state back; forget state that was not there before.

        Settings are not: they may have been changed for the next step.
        """
        for parameter, others in self._others.items():
            parameter.copy_(self._tensors[parameter, None])
            if parameter in self._gradients and parameter.grad is not None:
                parameter.grad.copy_(self._gradients[parameter])
            state = self._optimizer.state.get(parameter, {})
            names = {name for owner, name in self._tensors if owner is parameter}
            for name in [name for name in state if name not in names and name not in others]:
                del state[name]
            for name in names - {None}:
                assert name is not None
                state[name].copy_(self._tensors[parameter, name])
            state.update(others)
            if not state:
                self._optimizer.state.pop(parameter, None)

    def use_settings(self, settings: list[dict[str, Any]] | None = None) -> None:
        """Let the optimizer step with these settings; by default those noted."""
        for group, kept in zip(
            self._optimizer.param_groups, settings or self._settings, strict=True
        ):
            group.update(kept)

    def _see(self) -> dict[torch.Tensor, tuple[torch.Tensor, int]]:
        """Give every gradient, and how often it has been written to."""
        return {it: (it.grad, it.grad._version) for it in self._parameters() if it.grad is not None}

    def _parameters(self) -> list[torch.Tensor]:
        return [it for group in self._optimizer.param_groups for it in group["params"]]

    def _copy(
        self,
        copies: dict[tuple[torch.Tensor, str | None], torch.Tensor],
        key: tuple[torch.Tensor, str | None],
        value: torch.Tensor,
    ) -> None:
        old = self._tensors.get(key)
        if old is not None and old.shape == value.shape and old.dtype == value.dtype:
            copies[key] = old.copy_(value)
        else:
            copies[key] = value.detach().clone()
