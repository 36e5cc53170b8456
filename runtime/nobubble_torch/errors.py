"""The exceptions that nobubble_torch raises on purpose.

::

    NobubbleTorchError
    ├── SourceError          the schedule cannot be read from where it is said to be
    ├── ScheduleError        it is no `nobubble.schedule/1`, or would hang or go wrong
    ├── StageError           the stages given on this rank are not those of the schedule
    ├── LossError            the loss and the scaling of gradients do not go together
    ├── RequirementError     the schedule requires something that this run does not offer
    ├── DisagreementError    the ranks were given different things, or one of them failed
    ├── BatchError           what was given to a step cannot be split into its microbatches
    ├── PostValidationError  it is used in a way in which it could not keep its word
    └── MeasureError         what was asked to be measured cannot be
"""

from __future__ import annotations


class NobubbleTorchError(Exception):
    """Base of every error that a user can cause; its text says what to do."""


class SourceError(NobubbleTorchError):
    """The schedule cannot be read from where it is said to be."""


class ScheduleError(NobubbleTorchError):
    """It is no `nobubble.schedule/1`, or would hang or go wrong without a word."""


class StageError(NobubbleTorchError):
    """The stages given on this rank are not those of the schedule."""


class LossError(NobubbleTorchError):
    """The loss and the scaling of gradients do not go together."""


class RequirementError(NobubbleTorchError):
    """The schedule requires something that this run does not offer."""


class DisagreementError(NobubbleTorchError):
    """The ranks were given different things, or one of them failed."""


class BatchError(NobubbleTorchError):
    """What was given to a step cannot be split into its microbatches."""


class MeasureError(NobubbleTorchError):
    """What was asked to be measured cannot be."""


class PostValidationError(NobubbleTorchError):
    """Post-validation is used in a way in which it could not keep its word."""
