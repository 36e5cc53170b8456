"""Building blocks: a microbatch's ops at chosen times, repeated at an interval, then squeezed.

As in *Pipeline Parallelism with Controllable Memory* (arXiv 2405.15362), but for any placement,
times and memory limit. A block says when F's and backwards are due. The list scheduler goes by
that, on times rounded to a grid, so that ops meet without small gaps. Then W's are placed anew,
with the times as they are.
"""

from nobubble.solvers.blocks.blocks import blocks

__all__ = ["blocks"]
