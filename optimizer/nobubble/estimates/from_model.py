"""A first profile from the shape of a transformer and the speed of a device.

Per layer, sequence s, microbatch b, hidden size h, attention heads a (Table 1 of *Zero Bubble
Pipeline Parallelism*, arXiv 2401.10241; memory after *Reducing Activation Recomputation in Large
Transformer Models*, arXiv 2205.05198):

=========  =====================  ==============================
op         floating point ops     activations in bytes, 16 bit
=========  =====================  ==============================
F          sbh (24h + 4s)         holds sb (34h + 5as)
B          sbh (24h + 8s)         gives back all but W's
W          sbh 24h                gives back 32 sbh
=========  =====================  ==============================

The head's matrix of V columns takes 2sbhV for each of F, B and W; it holds its input and 32-bit
logits, which B gives back. The embedding's look-up is taken to cost no time.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

PUBLISHED_EFFICIENCY: Final = (0.56, 0.58, 0.78)
"""Of F, B and W: the medians of the paper's measurements on A100's, of 312 TFLOP/s.

`benchmarks.model_estimates` prints them, and how far single models are from them.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A transformer, and what it runs on.

    Attributes
    ----------
    hidden, layers, heads, sequence, microbatch_size, vocabulary : int
    ranks, microbatches : int
        Of the pipeline.
    tensor_parallel : int
        Devices that share every layer, activations too (sequence parallelism).
    flops : float
        Of a device, a second.
    efficiency : (float, float, float)
        The part of it that F, B and W reach.
    bandwidth : float
        Bytes a second between neighbouring ranks.
    latency : float
        Seconds of a message besides.
    element_bytes : int
        Of an activation.
    parameter_bytes : float
        Of a parameter, its gradient and optimizer state together.
    stores_attention : bool
        Whether attention scores are kept for backward (5as); not with flash attention.
    """

    hidden: int
    layers: int
    heads: int
    sequence: int
    microbatch_size: int
    vocabulary: int
    ranks: int
    microbatches: int
    tensor_parallel: int = 1
    flops: float = 312e12
    efficiency: tuple[float, float, float] = PUBLISHED_EFFICIENCY
    bandwidth: float = 34e9
    latency: float = 0.0
    element_bytes: int = 2
    parameter_bytes: float = 18.0
    stores_attention: bool = True

    def layer_times(self) -> tuple[int, int, int]:
        """Give F, B and W of a layer, in ns."""
        h, s = self.hidden, self.sequence
        work = (24 * h + 4 * s, 24 * h + 8 * s, 24 * h)
        return self._times(*(self._tokens() * h * each for each in work))

    def head_times(self) -> tuple[int, int, int]:
        """Give F, B and W of the head, in ns."""
        work = 2 * self._tokens() * self.hidden * self.vocabulary
        return self._times(work, work, work)

    def communication(self) -> int:
        """Give what activations between stages take to travel, in ns."""
        size = self.element_bytes * self._tokens() * self.hidden
        return round((size / self.tensor_parallel / self.bandwidth + self.latency) * 1e9)

    def layer_memory(self) -> tuple[int, int]:
        """Give what a layer holds after F, and what of it W gives back, in bytes."""
        h, share = self.hidden, self.element_bytes * self._tokens() // 2
        scores = 5 * self.heads * self.sequence if self.stores_attention else 0
        return self._shared(share * (34 * h + scores)), self._shared(share * 32 * h)

    def head_memory(self) -> tuple[int, int]:
        """Give the same of the head: its input twice, and 32-bit logits."""
        kept = 2 * self.element_bytes * self._tokens() * self.hidden
        logits = 4 * self._tokens() * self.vocabulary
        return self._shared(kept + logits), self._shared(kept)

    def static_memory(self) -> tuple[int, int, int]:
        """Give what embedding, layer and head hold throughout, in bytes."""
        h = self.hidden
        parameters = (
            (self.vocabulary + self.sequence) * h,
            12 * h * h + 13 * h,
            self.vocabulary * h,
        )
        embedding, layer, head = (
            round(self.parameter_bytes * each / self.tensor_parallel) for each in parameters
        )
        return embedding, layer, head

    def _tokens(self) -> int:
        return self.sequence * self.microbatch_size

    def _shared(self, size: int) -> int:
        return size // self.tensor_parallel

    def _times(self, *work: int) -> tuple[int, int, int]:
        speed = self.flops * self.tensor_parallel
        f, b, w = (
            round(each / (speed * part) * 1e9)
            for each, part in zip(work, self.efficiency, strict=True)
        )
        return f, b, w


def estimated_profile(
    shape: Shape, *, name: str | None = None, memory_limit: Decimal | int | None = None
) -> dict[str, Any]:
    """Give a profile in layers, in ms and MiB.

    Parameters
    ----------
    shape : Shape
    name : str, optional
        It is marked as an estimate in any case.
    memory_limit : number, optional
        Of every rank, in MiB.
    """
    held, by_w = shape.layer_memory()
    head_held, head_by_w = shape.head_memory()
    static = shape.static_memory()
    tokens = _mib(shape.element_bytes * shape.sequence * shape.microbatch_size * shape.hidden // 2)
    block = _layer("block", shape.layer_times(), _mib(held), _mib(by_w), _whole_mib(static[1]))
    return {
        "schema": "nobubble.profile/1",
        "name": f"{name or 'transformer'} (estimate, not measured)",
        "time_unit": "ms",
        "memory_unit": "MiB",
        "ranks": shape.ranks,
        "microbatches": shape.microbatches,
        "layers": [
            _layer("embedding", (0, 0, 0), tokens, tokens, _whole_mib(static[0])),
            {**block, "count": shape.layers},
            _layer(
                "head", shape.head_times(), _mib(head_held), _mib(head_by_w), _whole_mib(static[2])
            ),
        ],
        "communication": _ms(shape.communication()),
        "memory_limit": memory_limit,
    }


def _layer(
    name: str, times: tuple[int, int, int], held: Decimal, by_w: Decimal, static: int
) -> dict[str, Any]:
    f, b, w = (_ms(time) for time in times)
    return {
        "name": name,
        "F": {"time": f, "memory": held},
        "B": {"time": b, "memory": by_w - held},
        "W": {"time": w, "memory": -by_w},
        "static_memory": static,
    }


def _ms(ns: int) -> Decimal:
    return Decimal(ns) / 10**6


def _mib(size: int) -> Decimal:
    """Give bytes in MiB, to the hundredth: an estimate has no more."""
    return round(Decimal(size) / 2**20, 2)


def _whole_mib(size: int) -> int:
    """Give bytes in whole MiB, rounded up."""
    return -(-size // 2**20)
