"""From the written figures of a stage to whole nanoseconds and bytes that add up."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, cast

from nobubble.errors import Fault
from nobubble.profile.limits import MAX_MEMORY
from nobubble.profile.model import Backward, Cost, Stage
from nobubble.profile.rounding import EXACT, Rounding
from nobubble.profile.wording import shown

if TYPE_CHECKING:
    from nobubble.profile.written_stages import WrittenFusedOp, WrittenOp, WrittenStage


class StageCosts:
    """Converts the stages of one profile.

    Parameters
    ----------
    time_factor, memory_factor : int
        Nanoseconds and bytes in the profile's units.
    memory_unit : str
        For messages.
    rounding : Rounding
        Takes note of what is rounded.
    """

    def __init__(
        self, time_factor: int, memory_factor: int, memory_unit: str, rounding: Rounding
    ) -> None:
        self._time_factor = time_factor
        self._memory_factor = memory_factor
        self._memory_unit = memory_unit
        self._rounding = rounding

    def convert(self, written: WrittenStage, pointer: str) -> Stage:
        """Give a stage whose memory adds up, as checked before by `faults`.

        The bytes of F and B are the nearest; those of W and BW are what makes each sum zero.
        """
        f_memory = self._memory(written.F, f"{pointer}/F")
        b_memory = self._memory(written.B, f"{pointer}/B")
        w_memory = -(f_memory + b_memory)
        self._settle(written.W, f"{pointer}/W", w_memory)
        b = Cost(
            time=self._time(written.B, f"{pointer}/B"),
            memory=b_memory,
            workspace=self._workspace(written.B, f"{pointer}/B"),
        )
        w = Cost(
            time=self._time(written.W, f"{pointer}/W"),
            memory=w_memory,
            workspace=self._workspace(written.W, f"{pointer}/W"),
        )
        f = Cost(
            time=self._time(written.F, f"{pointer}/F"),
            memory=f_memory,
            workspace=self._workspace(written.F, f"{pointer}/F"),
        )
        given = written.model_fields_set
        backward = "auto" if "BW" in given and "backward" not in given else written.backward
        return Stage(
            F=f,
            B=b,
            W=w,
            BW=self._fused(written.BW, f"{pointer}/BW", b, w),
            backward=cast(Backward, backward),
        )

    def faults(self, written: WrittenStage, pointer: str) -> list[Fault]:
        """Check the memory of a stage on the numbers as written."""
        unit = self._memory_unit
        f, b, w = written.F.memory, written.B.memory, written.W.memory
        held = EXACT.add(f, b)
        total = EXACT.add(held, w)
        found = []
        if f < 0:
            found.append(
                Fault(f"{pointer}/F/memory", f"{shown(f)} {unit} is negative; F's memory is >= 0")
            )
        elif held < 0:
            found.append(
                Fault(
                    f"{pointer}/B/memory",
                    f"F {shown(f)} + B {shown(b)} = {_plain(held)} {unit} is negative; B gives "
                    "back at most what F holds",
                )
            )
        elif total != 0:
            right = _plain(held.copy_negate())
            given = "" if "memory" in written.W.model_fields_set else " (not given)"
            found.append(
                Fault(
                    f"{pointer}/W/memory",
                    f"F {shown(f)} + B {shown(b)} + W {shown(w)}{given} = {_plain(total)} {unit}, "
                    f"and must be 0; with these F and B, W's memory is {right}",
                )
            )
        fused = written.BW
        if f >= 0 and "memory" in fused.model_fields_set and EXACT.add(f, fused.memory) != 0:
            found.append(
                Fault(
                    f"{pointer}/BW/memory",
                    f"F {shown(f)} + BW {shown(fused.memory)} = "
                    f"{_plain(EXACT.add(f, fused.memory))} {unit}, and must be 0; BW's memory is "
                    f"{_plain(f.copy_negate())}, or left out",
                )
            )
        return found

    def _fused(self, written: WrittenFusedOp, pointer: str, b: Cost, w: Cost) -> Cost:
        """Give the cost of BW; what is not given follows from B and W."""
        given = written.model_fields_set
        memory = b.memory + w.memory
        if "memory" in given:
            self._settle(written, pointer, memory)
        return Cost(
            time=self._time(written, pointer) if "time" in given else b.time + w.time,
            memory=memory,
            workspace=(
                self._workspace(written, pointer)
                if "workspace" in given
                else max(0, b.memory) + max(b.workspace, w.workspace)
            ),
        )

    def _time(self, op: WrittenOp | WrittenFusedOp, pointer: str) -> int:
        return self._rounding.whole("time", op.time, self._time_factor, f"{pointer}/time")

    def _memory(self, op: WrittenOp, pointer: str) -> int:
        return self._rounding.whole("memory", op.memory, self._memory_factor, f"{pointer}/memory")

    def _settle(self, op: WrittenOp | WrittenFusedOp, pointer: str, whole: int) -> None:
        self._rounding.settle("memory", op.memory, self._memory_factor, f"{pointer}/memory", whole)

    def _workspace(self, op: WrittenOp | WrittenFusedOp, pointer: str) -> int:
        return self._rounding.whole(
            "memory", op.workspace, self._memory_factor, f"{pointer}/workspace", "up"
        )


def size_faults(stage: Stage, pointer: str) -> list[Fault]:
    """Check BW's workspace, which may follow from others and be larger than any of them.

    No other figure can: W's memory is at most 2^50 bytes where F's and B's sum is.
    """
    workspace = stage.BW.workspace
    if workspace <= MAX_MEMORY:
        return []
    what = f"its workspace comes to {workspace} bytes"
    return [Fault(f"{pointer}/BW", f"{what}; at most {MAX_MEMORY} are possible")]


def _plain(number: Decimal) -> str:
    """Write a computed number without an exponent or trailing zeros."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
