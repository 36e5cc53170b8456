"""Verification of a schedule document."""

from __future__ import annotations

from nobubble.errors import ProfileError, VerificationError
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from nobubble.schedule.document import ScheduleDocument
from nobubble.verifier.bound import check_bound
from nobubble.verifier.claims import (
    check_cost,
    check_layout,
    check_metrics,
    check_profile,
    check_statements,
)
from nobubble.verifier.findings import Findings
from nobubble.verifier.memory import check_memory
from nobubble.verifier.ops import check_ops, check_order, compute_rows
from nobubble.verifier.subject import Subject
from nobubble.verifier.times import check_times, read_times
from nobubble.verifier.transfers import check_transfers


def verify(document: ScheduleDocument, profile: Profile | None = None) -> list[str]:
    """Check everything that a schedule document says.

    Parameters
    ----------
    document : ScheduleDocument
        Of the right shape, as it is read or built.
    profile : Profile, optional
        The profile that it should be a schedule of. Whatever is given, the document is held
        against the profile that it carries.

    Returns
    -------
    list of str
        What is wrong, naming rank, op, microbatch and time where they apply; empty for a valid
        document. Beyond a hundred, only how many more there are. Where one fault makes further
        checks pointless, those are left out.
    """
    try:
        embedded = parse_profile(document["profile"])
    except ProfileError as error:
        return [f"profile{fault.pointer}: {fault.message}" for fault in error.faults]
    subject = Subject(document, embedded)
    findings = Findings()
    check_profile(subject, profile, findings)
    if check_layout(subject, findings):
        check_statements(subject, findings)
        check_cost(subject, findings)
        _check_actions(subject, findings)
    if not len(findings):
        check_bound(subject, findings)
    return findings.texts()


def assert_valid(document: ScheduleDocument, profile: Profile | None = None) -> None:
    """Raise when something that a schedule document says is not so.

    Raises
    ------
    VerificationError
        With all that `verify` finds.
    """
    findings = verify(document, profile)
    if findings:
        raise VerificationError(findings)


def _check_actions(subject: Subject, findings: Findings) -> None:
    """Check the actions, and the figures that follow from them."""
    rows = compute_rows(subject)
    if not check_ops(subject, rows, findings):
        return
    check_order(subject, rows, findings)
    check_transfers(subject, findings)
    peaks = check_memory(subject, rows, findings)
    times = read_times(subject, rows, findings)
    if times is None:
        return
    before = len(findings)
    check_times(subject, rows, times, findings)
    if len(findings) == before:
        check_metrics(subject, times, peaks, findings)
