"""From a verdict on a row to the truth about its field."""

from __future__ import annotations

from reviewers.review.models import Truth, Verdict


def truth_of(verdict: Verdict, *, claims_used: bool) -> Truth:
    """What a verdict says of the field: a row claims that its field is used, or, unfound, that it is not; wrong says the opposite."""
    if verdict is Verdict.CORRECT:
        return Truth.USED if claims_used else Truth.NOT_USED
    if verdict is Verdict.WRONG:
        return Truth.NOT_USED if claims_used else Truth.USED
    return {Verdict.MISSTATED: Truth.USED, Verdict.CANNOT_JUDGE: Truth.UNKNOWN}.get(verdict, Truth.NONE)
