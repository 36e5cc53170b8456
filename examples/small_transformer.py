"""A small causal transformer cut into pipeline stages, and data that it can learn."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import nn
from torch.nn import functional

VOCABULARY = 256


class Waiting(torch.autograd.Function):
    """Passes a tensor on, and takes its time doing so: forward, and backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, forward: float, backward: float) -> torch.Tensor:
        """Sleep so many seconds."""
        time.sleep(forward)
        ctx.seconds = backward
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        """Sleep so many seconds."""
        time.sleep(ctx.seconds)
        return gradient, None, None


class Layer(nn.Module):
    """Attention and a feed-forward network, each after a norm and with a way past it."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.before_network = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and give activations, shape (batch, sequence, width)."""
        batch, sequence, width = x.shape
        together = self.queries_keys_values(self.before_attention(x))
        split = together.view(batch, sequence, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        x = x + self.attended(mixed.transpose(1, 2).reshape(batch, sequence, width))
        return x + self.down(functional.gelu(self.up(self.before_network(x))))


class StageModule(nn.Module):
    """Some consecutive layers; the first stage embeds tokens, the last one gives logits.

    Parameters
    ----------
    stage, stages : int
        Which stage of how many.
    layers, width, heads, sequence : int
        Of the whole model.
    sleep : float
        Seconds by which F is made longer, and B; W is by 4/5 of that. 0 for none.
    """

    def __init__(
        self, stage: int, stages: int, *, layers: int, width: int, heads: int, sequence: int,
        sleep: float,
    ) -> None:  # fmt: skip
        super().__init__()
        self.sleep = sleep
        first, end = layers * stage // stages, layers * (stage + 1) // stages
        if stage == 0:
            self.embedding = nn.Embedding(VOCABULARY, width)
            self.positions = nn.Parameter(torch.randn(sequence, width) / 50)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(first, end))
        self.bias = nn.Parameter(torch.zeros(width))
        if stage == stages - 1:
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, VOCABULARY, bias=False)
        self.is_first, self.is_last = stage == 0, stage == stages - 1

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take tokens or activations, give activations or logits."""
        if self.is_first:
            x = self.embedding(x) + self.positions
        bias = self.bias
        if self.sleep:
            x = Waiting.apply(x, self.sleep, self.sleep)
            bias = Waiting.apply(bias, 0.0, 0.8 * self.sleep)
        x = x + bias
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)) if self.is_last else x


def loss_fn(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Give the mean cross-entropy of a microbatch."""
    return functional.cross_entropy(logits.flatten(0, 1), target.flatten())


def batch(step: int, size: int, sequence: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Give tokens, of which each makes the next, and the next ones; the same on all ranks."""
    generator = torch.Generator().manual_seed(step)
    tokens = torch.randint(VOCABULARY, (size, 1), generator=generator)
    row = [tokens]
    for _ in range(sequence):
        row.append((row[-1] * 5 + 17) % VOCABULARY)
    together = torch.cat(row, dim=1)
    return together[:, :-1], together[:, 1:]
