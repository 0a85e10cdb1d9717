"""What the labels of one field come to: what a lead has decided between them stands above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Q

from reviewers.calibration.models import SeenCombination
from reviewers.review.decision_models import Decision
from reviewers.review.models import Truth, Verdict
from reviewers.review.plan_models import Rule
from reviewers.review.verdicts import truth_of as truth_of_verdict

Place = tuple[UUID, str, str]
"""An answer and a field of its record, by section and path."""


LABEL_COLUMNS = ("id", "snapshot", "section", "path", "verdict", "truth", "shown", "snapshot__item__plan__rule")
"""What of a label says the truth."""


class Settled(NamedTuple):
    """A field, whether its answer draws on it, and the labels that say so."""

    place: Place
    is_used: bool
    labels: Sequence[Mapping[str, Any]]


class Undecided(Exception):  # noqa: N818 — it says how things stand, and is no error
    """Nobody can tell yet; the message says why."""


def decisions_on(seen: SeenCombination) -> dict[Place, Mapping[str, Any]]:
    """The newest decision of a person on each field, in the present round of its answer."""
    names = ("model", "prompt_version", "schema_version")
    return decisions_among(seen.organisation_id, Q(**{f"snapshot__{name}": getattr(seen, name) for name in names}))


def decisions_among(organisation_id: UUID, about: Q) -> dict[Place, Mapping[str, Any]]:
    """The same of any answers, which ``about`` says of decisions."""
    made = Decision.objects.filter(about, organisation=organisation_id, is_citation=False, round=F("snapshot__item__round"))
    rows = made.order_by("id").values("id", "snapshot", "section", "path", "verdict", "labels")
    return {(row["snapshot"], row["section"], row["path"]): row for row in rows}


def effective_truths(rows: Iterable[Mapping[str, Any]], decisions: Mapping[Place, Mapping[str, Any]]) -> Iterator[Settled]:
    """Each field on which people came to a truth, of labels (``LABEL_COLUMNS``) that lie together by place; no other."""
    said = (row for row in rows if row["verdict"] != Verdict.NONE and not row["shown"].get("planted"))
    for place, group in groupby(said, key=lambda row: (row["snapshot"], row["section"], row["path"])):
        its = list(group)
        try:
            truth = truth_between(its, its[0]["snapshot__item__plan__rule"] or Rule.MAJORITY, decisions.get(place))
        except Undecided:
            continue
        if truth is not None:
            yield Settled(place, truth, its)


def truth_between(rows: Sequence[Mapping[str, Any]], rule: str, made: Mapping[str, Any] | None) -> bool | None:
    """Whether a field is used, of the labels on it; what was decided between exactly these labels holds. Raises ``Undecided``."""
    if made and {str(row["id"]) for row in rows} == set(made["labels"]):
        claims_used = rows[0]["shown"]["track"] != "neither"
        return truth_of([truth_of_verdict(Verdict(made["verdict"]), claims_used=claims_used)], rule)
    if rule == Rule.LEAD and len(rows) > 1:
        raise Undecided("it waits for a lead")
    return truth_of([row["truth"] for row in rows], rule)


def truth_of(said: Sequence[str], rule: str = Rule.MAJORITY) -> bool | None:
    """Whether a field is used, of what reviewers said of it; nothing where nobody could judge.

    More than half of those who judged decide, or all of them where the rule is that. Raises ``Undecided`` otherwise.
    """
    judged = Counter(truth for truth in said if truth in (Truth.USED, Truth.NOT_USED))
    if not judged:
        return None
    truth, count = judged.most_common(1)[0]
    if 2 * count <= judged.total() or (rule == Rule.UNANIMOUS and count < judged.total()):
        raise Undecided("reviewers differ")
    return truth == Truth.USED
