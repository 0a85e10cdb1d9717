"""The figures of a report, counted answer by answer from what its reader is told, so that they tell nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from reviewers.reports.exports.report import Answer
from reviewers.reports.exports.schema import Counted, FieldRow, Summary
from reviewers.review.models import CitationVerdict, State, Verdict

NUMBERS = 12
"""The number of answers that are named for each figure."""

UNLABELLED = "unlabelled"
CONTROL = "control"
_ABSENT = frozenset({"absent", "unknown", "hidden"})
_AGAINST = frozenset({CitationVerdict.DOES_NOT_SAY, CitationVerdict.CONTRADICTS})
TOLD_APART = _ABSENT | {"contradicted"}
"""The findings that answers are counted by on their own."""


class SummaryTally:
    """The figures of the answers that were added so far."""

    def __init__(self, summary: Summary = Summary()) -> None:  # noqa: B008 — it cannot be changed
        self.summary = summary

    def add(self, answer: Answer) -> None:
        """Count an answer."""
        self.summary = combined([self.summary, summary_of(answer)])


def combined(summaries: Iterable[Summary]) -> Summary:
    """Return the figures of the answers of all."""
    each = list(summaries)
    return Summary(
        since=min(filter(None, (one.since for one in each)), default=""),
        until=max((one.until for one in each), default=""),
        answers=_added(one.answers for one in each),
        fields=_added(one.fields for one in each),
        citations=_added(one.citations for one in each),
        decisions=_added(one.decisions for one in each),
        findings=_added(one.findings for one in each),
        claims=_added(one.claims for one in each),
    )


def _added(several: Iterable[Iterable[Counted]]) -> tuple[Counted, ...]:
    counts: dict[str, Counted] = {}
    for each in chain.from_iterable(several):
        before = counts.get(each.name, nothing(each.name))
        numbers = (*before.numbers, *each.numbers)[:NUMBERS]
        counts[each.name] = Counted(each.name, before.count + each.count, before.answers + each.answers, numbers)
    return tuple([counts[name] for name in sorted(counts)])


def nothing(name: str) -> Counted:
    """Return the figure of something that there is none of."""
    return Counted(name, 0, 0, ())


def summary_of(answer: Answer) -> Summary:
    """Return the figures of one answer. Decisions on control rows are not counted, as their labels are not."""
    checks = {f"{row.section}.{row.path}" for row in answer.rows if row.is_seeded}
    return Summary(
        since=answer.answered_at,
        until=answer.answered_at,
        answers=_counted(kinds_of(answer), answer.number),
        fields=_counted(_labels_of(answer.rows), answer.number),
        citations=_counted(_citation_labels_of(answer), answer.number),
        decisions=_counted((_decision(each.outcome, each.by) for each in answer.decisions if each.name not in checks), answer.number),
        findings=_counted(dict.fromkeys(each.code for each in answer.findings), answer.number),
        claims=_counted((said.verdict for claim in answer.unsupported for said in claim.said), answer.number),
    )


def _counted(names: Iterable[str], number: int) -> tuple[Counted, ...]:
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return tuple([Counted(name, counts[name], 1, (number,)) for name in sorted(counts)])


def kinds_of(answer: Answer) -> Iterator[str]:
    """Yield every kind that the answer counts among. One under blind review counts among nothing that is said of it."""
    if answer.redactions:
        yield "redacted"
    if answer.holds:
        yield "held"
    if any(each.index is None for each in answer.events):
        yield "unsealed"
    if answer.is_withheld:
        yield "blind"
        return
    yield review_of(answer)
    yield from _extents(answer)
    yield from found_in(answer)
    yield signing_of(answer)


def review_of(answer: Answer) -> str:
    """Return how far an answer is reviewed: *reviewed* once all its reviews are in, *partly*, or *unreviewed*."""
    if answer.state == State.SUBMITTED:
        return "reviewed"
    return "partly" if answer.reviews else "unreviewed"


def _extents(answer: Answer) -> Iterator[str]:
    if len(answer.reviews) > 1:
        yield "several"
    if not answer.is_calibrated:
        yield "uncalibrated"
    if answer.reviews and UNLABELLED in _labels_of(answer.rows):
        yield "with_unlabelled"
    if any(each.outcome == "conflict" for each in answer.decisions):
        yield "conflict"


def found_in(answer: Answer) -> Iterator[str]:
    """Yield the kinds of what the program found or reviewers said against an answer, gravest first, or *nothing*."""
    verdicts = {said.verdict for row in answer.rows if not row.is_seeded for said in row.said}
    cited = [each for document in answer.documents for each in document.citations]
    kinds = {
        "contradicted": any(row.contradiction for row in answer.rows),
        "misstated": Verdict.MISSTATED in verdicts,
        "wrong": Verdict.WRONG in verdicts,
        "not_in_record": bool(answer.unsupported),
        "absent": any(each.code in _ABSENT for each in answer.findings),
        "unsupported": any(each.failures or any(said.verdict in _AGAINST for said in each.said) for each in cited),
        "other": any(each.code not in TOLD_APART for each in answer.findings),
    }
    found = [name for name, is_so in kinds.items() if is_so]
    yield from found or ["nothing"]


def signing_of(answer: Answer) -> str:
    """Return *signed* if a signature holds, *void* if there are only others, and *unsigned* if there is none."""
    if not answer.signatures:
        return "unsigned"
    return "signed" if any(each.standing == "holds" for each in answer.signatures) else "void"


def _labels_of(rows: Iterable[FieldRow]) -> list[str]:
    """Return the verdict of each label, *unlabelled* for each row that has none, and *control* for each control row."""
    names = []
    for row in rows:
        if row.is_seeded:
            names.append(CONTROL)
            continue
        verdicts = [said.verdict for said in row.said if said.verdict != Verdict.NONE]
        is_claim = row.track != "neither" or row.contradiction is not None
        names += verdicts or ([UNLABELLED] if is_claim else [])
    return names


def _citation_labels_of(answer: Answer) -> Iterator[str]:
    for document in answer.documents:
        for cited in document.citations:
            verdicts = [said.verdict for said in cited.said if said.verdict != Verdict.NONE]
            yield from verdicts or [UNLABELLED]


def _decision(outcome: str, by: str) -> str:
    return "by_a_lead" if by else outcome
