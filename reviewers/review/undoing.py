"""Finds what undoing takes back: one stack of actions, whichever kind of label they gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reviewers.review.given_labels import Given, GivenCitationLabel, GivenLabel, Key, Said
from reviewers.review.items import Item


@dataclass(frozen=True, slots=True)
class LastAction:
    """An action with the labels that it gave, and the labels of the item by their ids."""

    id: UUID
    labels: Sequence[GivenLabel]
    citation_labels: Sequence[GivenCitationLabel]
    by_id: Mapping[UUID, Given[Any, Any]]

    def before(self, label: Given[Key, Said], none: Said) -> tuple[Said, str]:
        """Verdict and note that a label took the place of; ``none`` is the verdict where there was no label."""
        old = self.by_id.get(label.replaces) if label.replaces else None
        return (old.verdict, old.note) if old else (none, "")


def last_action(item: Item) -> LastAction | None:
    """The last action that neither takes another back nor was taken back; nothing where there is none."""
    by_id: dict[UUID, Given[Any, Any]] = {label.id: label for label in item.labels}
    by_id |= {label.id: label for label in item.citation_labels}
    undone = {label.undoes for label in by_id.values() if label.undoes}
    candidates = [label for label in by_id.values() if label.undoes is None and label.action_id not in undone]
    if not candidates:
        return None
    last = max(candidates, key=lambda label: label.id).action_id
    return LastAction(
        last,
        [label for label in item.labels if label.action_id == last],
        [label for label in item.citation_labels if label.action_id == last],
        by_id,
    )
