"""Copies of what an optimizer's step changes, to put it back."""

from __future__ import annotations

from typing import Any

import torch


class Kept:
    """Parameters, state and settings of an optimizer as they were before a step.

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
        self._tensors = copies

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
        """Put parameters and state back, and forget state that was not there before.

        Settings are not: they may have been changed for the next step.
        """
        for parameter, others in self._others.items():
            parameter.copy_(self._tensors[parameter, None])
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
