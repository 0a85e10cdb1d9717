"""What the citations of an answer come to: trust in each source and in the answer, and validity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from attribution.documents.clarifying import is_clarifying_question
from attribution.documents.days import day_of
from attribution.documents.model import AFTERWARDS, Issue, IssueCode, Reference, ReferenceStatus
from attribution.documents.post_hoc import sentences_of
from attribution.documents.source import CitableSource
from attribution.documents.trust import AnswerTrust, SourceTrust, TrustRegistry, trust_in_answer, trust_in_source
from attribution.documents.validity import NOTHING_TO_CITE, Failures, Validity, judge_validity

_OF_THE_MODEL = (ReferenceStatus.RESOLVED, ReferenceStatus.PARTIAL)


def trust_in_sources(
    sources: Sequence[CitableSource], answered_on: date | None, registry: TrustRegistry | None = None
) -> dict[str, SourceTrust]:
    """Trust in each source by its id."""
    return {
        source.id: trust_in_source(source.uri, day_of(source.published_at), answered_on, registry, name=source.origin) for source in sources
    }


_FAILURES = {
    IssueCode.OPPOSITE: "the source seems to say the opposite",
    IssueCode.QUOTE_NOT_FOUND: "the quote does not stand in its source",
    IssueCode.SPAN_OUTSIDE: "the quote’s place is outside its source",
    IssueCode.SPAN_DIFFERS: "the quote does not stand at its place",
    IssueCode.FIGURE_NOT_FOUND: "a figure does not stand in its source",
    IssueCode.NAME_NOT_FOUND: "a name does not stand in its source",
    IssueCode.UNKNOWN_SOURCE: "a citation names no source that was given",
    IssueCode.UNKNOWN_CHUNK: "a citation names no chunk that was given",
    IssueCode.OUT_OF_RANGE: "a citation’s number has no source",
    IssueCode.AMBIGUOUS: "a citation fits more than one source",
    IssueCode.MALFORMED: "a citation is not written so that it can be read",
}
"""Checks that cap validity and trust when a citation fails them, the gravest first."""


LISTED_ONLY = "its sources are only listed, the text cites none of them"
_OUTDATED = "every source that it cites is old"


def failures_of(references: Sequence[Reference], issues: Iterable[Issue]) -> Failures:
    """Return the citations of the model that failed a check. What was attached or found afterwards is not the model's.

    A malformed citation is no reference, so each issue about one counts by itself.
    """
    made = {each.ordinal for each in references if each.status not in AFTERWARDS}
    failed = [each for each in issues if each.code in _FAILURES and (each.reference in made or _is_unread(each))]
    worst = next((words for code, words in _FAILURES.items() if any(each.code is code for each in failed)), "")
    unread = sum(map(_is_unread, failed))
    return Failures(len({each.reference for each in failed if each.reference is not None}) + unread, worst)


def _is_unread(issue: Issue) -> bool:
    return issue.code is IssueCode.MALFORMED and issue.reference is None


def is_listed_only(references: Sequence[Reference]) -> bool:
    """Return True if sources stand in the list at the end of an answer and nowhere in its text."""
    statuses = {each.status for each in references}
    return ReferenceStatus.LISTED in statuses and statuses.isdisjoint(_OF_THE_MODEL)


def trust_in_cited(
    cited: Sequence[str], trust: dict[str, SourceTrust], registry: TrustRegistry | None = None, failure: str = ""
) -> AnswerTrust:
    """Return the trust in an answer by the sources that the model cites; ``failure`` is the check that a citation failed, if any."""
    return trust_in_answer([trust[name] for name in cited], registry, failure=failure)


def validity_of(references: Sequence[Reference], clean: str, failures: Failures, trust: Mapping[str, SourceTrust]) -> Validity:
    """Count what the model cites, source by source. Sources that only stand in its list are one citation together, however many."""
    if not failures.citations and all(each.status in AFTERWARDS for each in references) and is_clarifying_question(clean):
        return NOTHING_TO_CITE
    sources = [trust[name] for each in references if each.status in _OF_THE_MODEL for name in each.sources]
    doubt = _OUTDATED if sources and all(each.is_outdated for each in sources) else ""
    cited = sum([len(each.sources) for each in references if each.status in _OF_THE_MODEL])
    is_listed = any(each.status is ReferenceStatus.LISTED for each in references)
    is_repaired = any(each.status is ReferenceStatus.REPAIRED for each in references)
    is_lost = any(each.status is ReferenceStatus.UNRESOLVED for each in references)
    return judge_validity(
        cited or int(is_listed),
        len(sentences_of(clean)),
        is_repaired=is_repaired,
        is_lost=is_lost,
        failures=failures,
        doubt=LISTED_ONLY if is_listed and not cited else doubt,
    )
