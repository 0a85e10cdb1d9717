"""What the labels of one field come to: what a lead has decided between them stands above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F

from reviewers.calibration.models import SeenCombination
from reviewers.review.decision_models import Decision
from reviewers.review.models import Truth, Verdict
from reviewers.review.plan_models import Rule
from reviewers.review.verdicts import truth_of as truth_of_verdict

Place = tuple[UUID, str, str]
"""An answer and a field of its record, by section and path."""


class Undecided(Exception):  # noqa: N818 — it says how things stand, and is no error
    """Nobody can tell yet; the message says why."""


def decisions_on(seen: SeenCombination) -> dict[Place, Mapping[str, Any]]:
    """The newest decision of a person on each field, in the present round of its answer."""
    about = {
        "snapshot__model": seen.model,
        "snapshot__prompt_version": seen.prompt_version,
        "snapshot__schema_version": seen.schema_version,
    }
    made = Decision.objects.filter(organisation=seen.organisation_id, is_citation=False, round=F("snapshot__item__round"), **about)
    rows = made.order_by("id").values("id", "snapshot", "section", "path", "verdict", "labels")
    return {(row["snapshot"], row["section"], row["path"]): row for row in rows}


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
