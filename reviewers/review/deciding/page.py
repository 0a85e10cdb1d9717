"""The page on which a lead decides, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from reviewers.review import words
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.citations import CitationKey
from reviewers.review.deciding.evidence import Evidence, evidence_of, name_of
from reviewers.review.deciding.loading import Case
from reviewers.review.deciding.made import Made
from reviewers.review.deciding.rules import Row, label_of
from reviewers.review.deciding.showing import Decided, decided_words
from reviewers.review.items import Item
from reviewers.review.models import Verdict
from reviewers.review.plan_models import Rule
from reviewers.review.plans.labels import Reviewed

_KEYS = {"correct": "1", "wrong": "2", "misstated": "3", "supports": "1", "does_not_support": "2", "cannot_judge": "0"}
_ICONS = {"correct": "check", "supports": "check", "wrong": "cross", "does_not_support": "cross", "misstated": "differs"}
_RULES = {
    Rule.UNANIMOUS: "The plan decides where all agree.",
    Rule.MAJORITY: "The plan decides where more than half agree.",
    Rule.LEAD: "The plan leaves every row to a lead.",
}


@dataclass(frozen=True, slots=True)
class Voice:
    """What one reviewer said of the row. ``reason`` is why they changed it after their review was in."""

    name: str
    verdict: str
    tone: str
    icon: str
    note: str
    reason: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A verdict that can be decided, with its key."""

    value: str
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A conflict in the list of all. ``decided`` is empty while it waits."""

    number: int
    name: str
    decided: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """The one that is shown, with its neighbours by their numbers."""

    number: int
    evidence: Evidence
    voices: Sequence[Voice]
    choices: Sequence[Choice]
    labels: str
    decided: Decided | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The page."""

    item_id: str
    attribution_id: str
    title: str
    turn: str
    plan_id: str
    plan: str
    rule: str
    user_text: str
    entries: Sequence[Entry]
    conflict: Conflict
    left: int


def build_adjudication(item: Item, case: Case, number: int | None) -> Adjudication:
    """The page with one of the conflicts: that of a number, else the first that waits."""
    rows = disputed(case)
    waiting = next((place for place, row in enumerate(rows, start=1) if row.made is None), 1)
    shown = number if number and 1 <= number <= len(rows) else waiting
    snapshot, plan = item.row.snapshot, item.row.plan
    return Adjudication(
        item_id=str(item.id),
        attribution_id=str(item.row.attribution_id),
        title=snapshot.conversation_id or snapshot.client_reference or snapshot.external_id,
        turn=f"turn {snapshot.turn_index}" if snapshot.turn_index is not None else "",
        plan_id=str(plan.pk) if plan else "",
        plan=plan.name if plan else "",
        rule=_RULES[case.rule],
        user_text=str(item.record.get("user_text") or ""),
        entries=[_entry(item, row, place, is_shown=place == shown) for place, row in enumerate(rows, start=1)],
        conflict=_conflict(item, case, rows, shown),
        left=len(case.conflicts),
    )


def disputed(case: Case) -> list[Row]:
    """The rows that conflict, and those that did until a lead decided them."""
    return [row for row in case.rows if row.made is not None or row in case.conflicts]


def _entry(item: Item, row: Row, place: int, *, is_shown: bool) -> Entry:
    decided = _words(row, row.made)
    return Entry(place, name_of(item, row.key), decided.verdict if decided else "", is_shown)


def _conflict(item: Item, case: Case, rows: Sequence[Row], place: int) -> Conflict:
    row = rows[place - 1]
    return Conflict(
        number=place,
        evidence=evidence_of(item, row.key),
        voices=[_voice(review, row) for review in case.reviews],
        choices=[Choice(value, str(label), _KEYS[value]) for value, label in _known(row).choices if value != "none"],
        labels=",".join(str(label.id) for label in row.labels),
        decided=_words(row, row.made),
        before=place - 1 if place > 1 else None,
        after=place + 1 if place < len(rows) else None,
    )


def _voice(review: Reviewed, row: Row) -> Voice:
    label = label_of(review, row.key)
    if label is None or not label.is_verdict:
        return Voice(review.name, "No label", "quiet", "none", label.note if label else "", "", None)
    said = label.verdict.value
    tones = words.VERDICT_TONES | words.CITATION_VERDICT_TONES
    return Voice(review.name, str(label.verdict.label), tones[said], _ICONS.get(said, "unsure"), label.note, label.reason, label.created_at)


def _words(row: Row, made: Made | None) -> Decided | None:
    return decided_words(made, _known(row))


def _known(row: Row) -> type[Verdict | CitationVerdict]:
    return CitationVerdict if isinstance(row.key, CitationKey) else Verdict
