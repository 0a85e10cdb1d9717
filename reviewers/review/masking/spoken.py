"""What people wrote about an answer, and what it is called, as far as somebody is shown it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reviewers.accounts.texts import Text, kind_of, masked, name_instead
from reviewers.review.citations import CitationKey
from reviewers.review.deciding.made import Made, RowKey
from reviewers.review.given_labels import FieldKey, GivenCitationLabel, GivenLabel
from reviewers.review.masking.keys import mask_key, mask_path
from reviewers.review.models import Flag
from reviewers.review.plans.labels import Reviewed
from reviewers.snapshots.models import Snapshot
from reviewers.web.masks import MASK


@dataclass(frozen=True, slots=True)
class Names:
    """What an answer is called, and the names that its record gives; masks where somebody is not shown them."""

    title: str
    client: str
    conversation: str
    provider: str


Label = TypeVar("Label", GivenLabel, GivenCitationLabel)


def mask_label(label: Label, hidden: frozenset[Text]) -> Label:
    """A label: the verdict stays."""
    return replace(label, note=masked(label.note, Text.NOTES, hidden), reason=masked(label.reason, Text.NOTES, hidden))


def mask_field_key(key: FieldKey, hidden: frozenset[Text]) -> FieldKey:
    """A field as labels name it, like ``mask_attribution`` names its row."""
    section, path = key
    return (mask_key(section), mask_path(path)) if kind_of(section) in hidden else key


def mask_field_keys(labels: Sequence[GivenLabel], hidden: frozenset[Text]) -> Sequence[GivenLabel]:
    """Labels of fields under masked names."""
    return [replace(each, key=mask_field_key(each.key, hidden)) for each in labels]


def mask_labels(labels: Sequence[Label], hidden: frozenset[Text]) -> Sequence[Label]:
    """Several."""
    return [mask_label(each, hidden) for each in labels] if Text.NOTES in hidden else labels


def mask_reviews(reviews: Sequence[Reviewed], hidden: frozenset[Text]) -> Sequence[Reviewed]:
    """Reviews with their labels."""
    if Text.NOTES not in hidden:
        return reviews
    return [
        replace(
            each,
            fields={mask_field_key(key, hidden): mask_label(label, hidden) for key, label in each.fields.items()},
            citations={key: mask_label(label, hidden) for key, label in each.citations.items()},
        )
        for each in reviews
    ]


def mask_made(made: Mapping[RowKey, Made], hidden: frozenset[Text]) -> Mapping[RowKey, Made]:
    """Decisions: the reason is a text."""
    return {
        key if isinstance(key, CitationKey) else mask_field_key(key, hidden): replace(each, reason=masked(each.reason, Text.NOTES, hidden))
        for key, each in made.items()
    }


def names_of(snapshot: Snapshot, hidden: frozenset[Text]) -> Names:
    """What an answer is called and is about."""
    client, conversation = (masked(each, Text.REFERENCES, hidden) for each in (snapshot.client_reference, snapshot.conversation_id))
    own = snapshot.conversation_id or snapshot.client_reference or snapshot.external_id
    title = name_instead(snapshot.pk) if Text.REFERENCES in hidden else own
    return Names(title, client, conversation, masked(snapshot.provider, Text.PROVIDER, hidden))


def mask_flags(flags: Sequence[Flag], hidden: frozenset[Text]) -> Sequence[Flag]:
    """Remarks on findings, on rows that were loaded to be shown."""
    for flag in flags if Text.NOTES in hidden else ():
        flag.note = MASK
    return flags
