"""Repeated acts: a program gives each label an identifier, so that it can send a label again without knowing if the first one arrived."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reviewers.accounts.policies import Refused
from reviewers.review import policies
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationLabel, CitationVerdict, Label, Verdict


def is_repeated(
    item: ReviewItem,
    choice: RowChoice,
    kind: type[Label | CitationLabel],
    verdict: Verdict | CitationVerdict | None,
    note: str | None,
) -> bool:
    """Return True if the viewer has done the act with this identifier to a locked item. Raises ``Refused`` if that was another act."""
    if choice.action_id is None:
        return False
    of_act = {"snapshot": item.id, "reviewer": item.viewer.id, "action_id": choice.action_id}
    done: list[Label | CitationLabel] = [*Label.objects.filter(**of_act), *CitationLabel.objects.filter(**of_act)]
    if not done:
        return False
    policies.check_is_current(item, choice.attribution_id)
    if choice.is_blind is not None:
        policies.check_is_counted_alike(item, is_blind=choice.is_blind)
    (first, *others) = done
    is_same = isinstance(first, kind) and not others and verdict in (None, first.verdict) and note in (None, first.note)
    if not is_same or not _is_of(item, choice.number, first):
        raise Refused("You have given this id to another label. Give each act an id of its own.")
    return True


def _is_of(item: ReviewItem, number: int, label: Label | CitationLabel) -> bool:
    """Return True if a label is of the row or citation with this number."""
    named: Sequence[Any] = item.attribution.fields if isinstance(label, Label) else item.citations
    if not 0 <= number < len(named):
        return False
    if isinstance(label, Label):
        return bool(field_key(named[number]) == (label.section, label.path))
    return bool(named[number].key == (label.source, label.is_own, label.start, label.end, label.repeat))
