"""A model as a run of layers, from which the profiles of any placement are cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from nobubble.profile.model import Backward, Cost, Objective, Profile, Stage


@dataclass(frozen=True, slots=True)
class Layer:
    """The smallest piece that a stage is made of.

    Attributes
    ----------
    name : str or None
    costs : Stage
        Of its ops.
    says_backward : bool
        Whether how it runs backward was given; else it goes with the others of its stage.
    static_memory : int
        Bytes that it holds throughout, on the rank of its stage.
    """

    name: str | None
    costs: Stage
    says_backward: bool = False
    static_memory: int = 0

    def time(self) -> int:
        """Give its work for one microbatch, in ns: with backward as quick as it may run."""
        costs = self.costs
        ways = [costs.B.time + costs.W.time] if costs.backward != "fused" else []
        ways += [costs.BW.time] if costs.backward != "split" else []
        return costs.F.time + min(ways)


@dataclass(frozen=True, slots=True)
class LayeredModel:
    """What a profile says, before it is settled which layers make a stage.

    Attributes
    ----------
    layers : tuple of Layer, shape (L,)
        In forward order.
    communication_forward, communication_backward : tuple of int, shape (L - 1,)
        Nanoseconds, for a cut between layer l and l + 1.
    placement, partition : tuple of int, shape (S,), or None
        As given.
    name, time_unit, memory_unit, ranks, microbatches, memory_limit, static_memory, objective
        See `nobubble.profile.model.Profile`; static memory without that of the layers.
    """

    name: str | None
    time_unit: str
    memory_unit: str
    ranks: int
    microbatches: int
    layers: tuple[Layer, ...]
    communication_forward: tuple[int, ...]
    communication_backward: tuple[int, ...]
    memory_limit: tuple[int | None, ...]
    static_memory: tuple[int, ...]
    objective: Objective
    placement: tuple[int, ...] | None = None
    partition: tuple[int, ...] | None = None

    def times(self) -> list[int]:
        """Give the work of every layer for one microbatch, in ns."""
        return [layer.time() for layer in self.layers]

    def profile(self, placement: Sequence[int], partition: Sequence[int]) -> Profile:
        """Cut the layers into stages.

        Parameters
        ----------
        placement : sequence of int, shape (S,)
            The rank of every stage.
        partition : sequence of int, shape (S,)
            Layers of every stage, at least one, all of them in all.

        Raises
        ------
        ValueError
            Layers are lost or made up.
        """
        if sum(partition) != len(self.layers) or min(partition) < 1:
            raise ValueError(f"{list(partition)} is no partition of {len(self.layers)} layers")
        ends = list(accumulate(partition))
        pieces = [self.layers[begin:end] for begin, end in pairwise([0, *ends])]
        static = list(self.static_memory)
        for rank, piece in zip(placement, pieces, strict=True):
            static[rank] += sum(layer.static_memory for layer in piece)
        cuts = [end - 1 for end in ends[:-1]]
        return Profile(
            name=self.name,
            time_unit=self.time_unit,
            memory_unit=self.memory_unit,
            ranks=self.ranks,
            microbatches=self.microbatches,
            placement=tuple(placement),
            stages=tuple(stage_of(piece) for piece in pieces),
            communication_forward=tuple(self.communication_forward[cut] for cut in cuts),
            communication_backward=tuple(self.communication_backward[cut] for cut in cuts),
            memory_limit=self.memory_limit,
            static_memory=tuple(static),
            objective=self.objective,
            partition=tuple(partition),
        )


def stage_of(layers: Sequence[Layer]) -> Stage:
    """Give the stage that runs these layers, one after the other.

    Times and memory add up. The memory of all counts while an op runs, and the largest workspace
    on top: never less than what is really held. One layer that is never split keeps its stage from
    being split; one that is always split, from being fused; else the solver may choose where BW
    was given for any of them.
    """
    costs = [layer.costs for layer in layers]
    if len(costs) == 1:
        return costs[0]
    said: set[Backward] = {layer.costs.backward for layer in layers if layer.says_backward}
    if "fused" in said:
        backward: Backward = "fused"
    elif "split" in said:
        backward = "split"
    else:
        backward = "auto" if any(c.backward == "auto" for c in costs) else "split"
    return Stage(
        F=_sum([c.F for c in costs]),
        B=_inputs_backward([c.B for c in costs]),
        W=_sum([c.W for c in costs]),
        BW=_sum([c.BW for c in costs]),
        backward=backward,
    )


def _inputs_backward(ops: Sequence[Cost]) -> Cost:
    """Give B of a stage: where some layers add memory and others give it back, at the worst."""
    total = _sum(ops)
    added = sum(max(0, op.memory) for op in ops) - max(0, total.memory)
    return replace(total, workspace=total.workspace + added)


def _sum(ops: Sequence[Cost]) -> Cost:
    return Cost(
        time=sum(op.time for op in ops),
        memory=sum(op.memory for op in ops),
        workspace=max(op.workspace for op in ops),
    )


def layers_of(profile: Profile) -> LayeredModel:
    """Take every stage of a profile as one layer.

    The static memory stays with the ranks.
    """
    return LayeredModel(
        name=profile.name,
        time_unit=profile.time_unit,
        memory_unit=profile.memory_unit,
        ranks=profile.ranks,
        microbatches=profile.microbatches,
        layers=tuple(Layer(None, stage, says_backward=True) for stage in profile.stages),
        communication_forward=profile.communication_forward,
        communication_backward=profile.communication_backward,
        memory_limit=profile.memory_limit,
        static_memory=profile.static_memory,
        objective=profile.objective,
        placement=profile.placement,
        partition=(1,) * len(profile.stages),
    )


def with_limit(model: LayeredModel, limit: int | None) -> LayeredModel:
    """Give the same model with one memory limit for all ranks, in bytes."""
    return replace(model, memory_limit=(limit,) * model.ranks)
