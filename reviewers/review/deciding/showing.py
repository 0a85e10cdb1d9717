"""A decision in words."""

from __future__ import annotations

from typing import NamedTuple

from reviewers.review import words
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.deciding.made import Made
from reviewers.review.models import Verdict


class Decided(NamedTuple):
    """What was decided, by whom, and why."""

    verdict: str
    tone: str
    name: str
    reason: str


def decided_words(made: Made | None, known: type[Verdict | CitationVerdict]) -> Decided | None:
    """The decision on a row, where there is one."""
    if made is None:
        return None
    tones = words.VERDICT_TONES | words.CITATION_VERDICT_TONES
    return Decided(str(known(made.verdict).label), tones[made.verdict], made.name, made.reason)
