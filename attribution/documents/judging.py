"""What the citations of an answer come to: trust in each source and in the answer, and validity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta

from attribution.documents.model import Reference, ReferenceStatus
from attribution.documents.post_hoc import sentences_of
from attribution.documents.source import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust, trust_in_answer, trust_in_source
from attribution.documents.validity import Validity, judge_validity

_WRITTEN = re.compile(r"([0-9]{4})(?:-?([0-9]{2})(?:-?([0-9]{2}))?)?(?![0-9])")
_MONTHS = 12
_OF_THE_MODEL = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL)


def trust_in_sources(sources: Sequence[CitableSource], answered_on: date | None) -> dict[str, SourceTrust]:
    """Trust in each source by its id."""
    return {source.id: trust_in_source(source.uri, day_of(source.published_at), answered_on) for source in sources}


def trust_in_cited(cited: Sequence[str], trust: dict[str, SourceTrust]) -> AnswerTrust:
    """Trust in an answer by the sources that the model cites."""
    return trust_in_answer([trust[name] for name in cited])


def validity_of(references: Sequence[Reference], clean: str) -> Validity:
    """Counts what the model cites, source by source. Sources that only stand in its list are one citation together, however many."""
    cited = sum([len(each.sources) for each in references if each.status in _OF_THE_MODEL])
    is_listed = any(each.status is ReferenceStatus.LISTED for each in references)
    is_repaired = any(each.status is ReferenceStatus.REPAIRED for each in references)
    is_lost = any(each.status is ReferenceStatus.UNRESOLVED for each in references)
    return judge_validity(cited or int(is_listed), len(sentences_of(clean)), is_repaired=is_repaired, is_lost=is_lost)


def day_of(written: str) -> date | None:
    """The day of a date as sources write it: a whole one, or a year or month, of which the last day counts; nothing that is none.

    Longer figures are none: seconds since 1970 begin with four digits too, which are no year.
    """
    begun = _WRITTEN.match(written)
    year, month, day = (int(part or 0) for part in begun.groups()) if begun else (0, 0, 0)
    if not year:
        return None
    if not 1 <= month <= _MONTHS:
        month, day = _MONTHS, 0
    last = (date(year, month + 1, 1) - timedelta(days=1)).day if month < _MONTHS else 31
    return date(year, month, day if 1 <= day <= last else last)
