"""What the citations of an answer come to: trust in each source and in the answer, and validity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from attribution.documents.model import Reference, ReferenceStatus
from attribution.documents.post_hoc import sentences_of
from attribution.documents.source import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust, trust_in_answer, trust_in_source
from attribution.documents.validity import Validity, judge_validity

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
    return judge_validity(cited or int(is_listed), len(sentences_of(clean)), is_repaired=is_repaired)


def day_of(written: str) -> date | None:
    """The day of a date as sources write it: a whole one, or a year or month, of which the last day counts; nothing that is none."""
    for begin, rest in ((written[:10], ""), (written[:7], "-28"), (written[:4], "-12-31")):
        try:
            return date.fromisoformat(begin + rest)
        except ValueError:
            continue
    return None
