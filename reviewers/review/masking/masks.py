"""Masks over protected text: keys of maps, attributions, documents, labels and names.

Keys of maps can be data: a record may hold ``{"contacts": {"Jane Doe 1970": …}}``. A key that looks like the name of a field stays, because
findings name fields by it: letters in lower case, joined by underscores, hyphens or capitals, with few digits, or the index of a list.
``jane_doe`` looks like one, as pages and files say. Any other key is masked, always with the same mask, which is derived from the site's
secret, so that rows, labels and findings of an answer still match.

All masks of texts have one length, and a span in a text becomes the whole mask, so neither lengths nor places reveal anything. Methods,
rules, scores, footnotes and counts stay.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Any, TypeVar, cast

from django.conf import settings

from attribution import (
    Attribution,
    Contradiction,
    DocumentAttribution,
    Evidence,
    FieldAttribution,
    Finding,
    Marker,
    Mentioned,
    Reference,
    Span,
)
from reviewers.accounts.texts import Text, kind_of, masked, name_instead
from reviewers.review.adjudication.decisions import RowKey, StoredDecision
from reviewers.review.labels.queries import (
    ClaimKey,
    FieldKey,
    ReviewLabels,
    StoredCitationLabel,
    StoredClaimLabel,
    StoredFieldLabel,
)
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.models import Snapshot
from reviewers.web.protected_text import MASK

_DOMAIN = b"footnote.keys.v1\0"
_LENGTH = 6
_NAMED = re.compile(r"[a-z]{1,30}\d{0,2}(?:[A-Z][a-z]{0,30}\d{0,2}){0,8}(?:[_-][a-zA-Z]{0,30}\d{0,2}){0,12}")
_PLACE = re.compile(r"\d{1,4}")
_CAPITALS = re.compile(r"[A-Z]{1,6}\d{0,2}(?:_[A-Z]{1,12}){0,6}")
_PART = re.compile(r"(?<!\\)\.")
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")
"""Digits of a mask in letters, so that a de-identified report does not take them for a number of the record."""

_MASKED = re.compile(r"\[key [b-v]{6}\]")


def mask_key(key: str) -> str:
    """Return a key, masked unless it looks like the name of a field."""
    if any(each.fullmatch(key) for each in (_NAMED, _PLACE, _CAPITALS, _MASKED)) or not key:
        return key
    return f"[key {_digest(key)}]"


def mask_path(path: str) -> str:
    """Return a path with its keys masked where necessary. Dots in keys are escaped."""
    return ".".join(mask_key(key) for key in _PART.split(path))


def mask_section(name: str, hidden: frozenset[Text]) -> str:
    """Return the name of a section, masked as ``mask_attribution`` masks it on the rows of its fields."""
    return mask_key(name) if kind_of(name) in hidden else name


def mask_names(names: Iterable[str], hidden: frozenset[Text]) -> list[str]:
    """Return the names of redacted parts. Those of fields of the context have their sections and keys masked."""
    return [_mask_name(name) if hidden & _VALUES else name for name in names]


def _mask_name(name: str) -> str:
    kind, dot, place = name.partition(".")
    return f"{kind}{dot}{mask_path(place)}" if kind == "context" else name


def _digest(key: str) -> str:
    secret = hmac.digest(settings.SECRET_KEY.encode(), _DOMAIN, "sha256")
    return hmac.digest(secret, key.encode("utf-8", "surrogatepass"), "sha256").hex()[:_LENGTH].translate(_LETTERS)


# Attributions.


Masked = TypeVar("Masked")

WHOLE: Span = (0, len(MASK))
"""The span of a whole mask."""

_VALUES = frozenset({Text.CLIENT, Text.PROVIDER})
_SPANS = frozenset({"span", "quote_span", "claim"})
_PLACES = frozenset({"position"})
_KEPT = frozenset({"engine_version", "name", "raw"})
"""Attributes that are not masked: tiers, and places that only order footnotes."""
_NAMES_OF_SOURCES = frozenset({"id", "source"})
"""Attributes that name a source. The engine gives the name, but begins that of a tool's result with the identifier of the call, which the
record has."""


def mask_record(record: Mapping[str, Any], hidden: frozenset[Text]) -> Mapping[str, Any]:
    """Return a frozen record with message and answer masked where hidden. Its values are read from the attribution only."""
    if Text.QUESTION in hidden and record.get("user_text"):
        record = {**record, "user_text": MASK}
    if Text.ANSWER in hidden:
        record = {**record, "response": MASK, "documents": [], "tool_calls": []}
    return record


def mask_attribution(attribution: Attribution, hidden: frozenset[Text]) -> Attribution:
    """Return an attribution without the texts of hidden kinds."""
    if not hidden & {Text.ANSWER, *_VALUES}:
        return attribution
    rows = tuple([_row(row, hidden) for row in attribution.fields])
    findings = tuple([_finding(each, hidden) for each in attribution.guardrails])
    if Text.ANSWER not in hidden:
        return replace(attribution, fields=rows, guardrails=findings)
    markers = tuple([_marker(each, hidden) for each in attribution.markers])
    return replace(attribution, clean_text=MASK if attribution.clean_text else "", fields=rows, markers=markers, guardrails=findings)


def mask_grounds(grounds: DocumentAttribution, hidden: frozenset[Text]) -> DocumentAttribution:
    """Return an attribution to documents without the texts of documents and answer, if the answer is hidden."""
    if Text.ANSWER not in hidden:
        return grounds
    masked: DocumentAttribution = _everything(grounds)
    return replace(masked, removed=(), raw_text=masked.clean_text)


def mask_source(name: str, hidden: frozenset[Text]) -> str:
    """Return the name of a source, masked as ``mask_grounds`` masks it if the answer is hidden."""
    return mask_key(name) if Text.ANSWER in hidden else name


def mask_reference(reference: Reference, hidden: frozenset[Text]) -> Reference:
    """Return one citation without its texts, if the answer is hidden."""
    masked: Reference = _everything(reference) if Text.ANSWER in hidden else reference
    return masked


def _row(row: FieldAttribution, hidden: frozenset[Text]) -> FieldAttribution:
    is_value_hidden, is_answer_hidden = kind_of(row.field.section) in hidden, Text.ANSWER in hidden
    if not (is_value_hidden or is_answer_hidden):
        return row
    if is_value_hidden and row.field.value not in (None, "", [], {}):
        row = row._replace(field=row.field._replace(value=MASK))
    if is_value_hidden:
        field = row.field
        row = row._replace(field=field._replace(section=mask_key(field.section), path=mask_path(field.path), leaf=mask_key(field.leaf)))
    return row._replace(
        claims=_one(row.claims) if is_answer_hidden else row.claims,
        evidence=_evidence(row.evidence, is_answer_hidden=is_answer_hidden),
        contradiction=_contradiction(row.contradiction, is_value_hidden=is_value_hidden, is_answer_hidden=is_answer_hidden),
        mentioned=_mentioned(row.mentioned, is_answer_hidden=is_answer_hidden),
    )


def _evidence(evidence: Evidence | None, *, is_answer_hidden: bool) -> Evidence | None:
    """Return evidence masked. Its trace contains words of the answer and of the value."""
    if evidence is None:
        return None
    return evidence._replace(trace=MASK, spans=_one(evidence.spans) if is_answer_hidden else evidence.spans)


def _mentioned(mentioned: Mentioned | None, *, is_answer_hidden: bool) -> Mentioned | None:
    if mentioned is None:
        return None
    spans, trigger = (_one(mentioned.spans), None) if is_answer_hidden else (mentioned.spans, mentioned.trigger)
    return mentioned._replace(trace=MASK, spans=spans, trigger=trigger)


def _contradiction(contradiction: Contradiction | None, *, is_value_hidden: bool, is_answer_hidden: bool) -> Contradiction | None:
    if contradiction is None:
        return None
    return Contradiction(
        recorded=MASK if is_value_hidden else contradiction.recorded,
        stated=MASK if is_answer_hidden else contradiction.stated,
        spans=_one(contradiction.spans) if is_answer_hidden else contradiction.spans,
        trace=MASK,
    )


def _finding(finding: Finding, hidden: frozenset[Text]) -> Finding:
    if finding.section is not None and finding.path is not None and kind_of(finding.section) in hidden:
        finding = replace(finding, section=mask_key(finding.section), path=mask_path(finding.path))
    return replace(finding, message=MASK, spans=_one(finding.spans) if Text.ANSWER in hidden else finding.spans)


def _marker(marker: Marker, hidden: frozenset[Text]) -> Marker:
    """Return a marker masked, at the end of the text. The order of markers is that of their footnotes."""
    claim = WHOLE if marker.claim else None
    if marker.section is not None and marker.path is not None and kind_of(marker.section) in hidden:
        marker = marker._replace(section=mask_key(marker.section), path=mask_path(marker.path))
    place = None if marker.position is None else len(MASK)
    return marker._replace(text=MASK, prefix="", name=MASK, position=place, claim=claim, detail=MASK if marker.detail else "")


def _one(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return (WHOLE,) if spans else ()


def _everything(value: Masked, name: str = "") -> Masked:
    """Return any result with all texts masked. What the engine adds in future is masked as well."""
    return cast("Masked", _masked(value, name))


def _masked(value: Any, name: str) -> Any:
    if value is None or name in _KEPT or isinstance(value, Enum | bool):
        return value
    if isinstance(value, str):
        return mask_key(value) if name in _NAMES_OF_SOURCES else MASK if value else value
    if name in _SPANS:
        return WHOLE
    return len(MASK) if name in _PLACES else _inside(value)


def _inside(value: Any) -> Any:
    """Mask the parts of a container."""
    if isinstance(value, Mapping):
        return {mask_key(key): _masked(each, "") for key, each in value.items()}
    if isinstance(value, tuple | list):
        named = getattr(value, "_fields", None)
        if named:
            return type(value)(*(_masked(each, name) for name, each in zip(named, value, strict=True)))
        return type(value)(_masked(each, "") for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _masked(getattr(value, each.name), each.name) for each in fields(value)})
    return value


# Labels, decisions and names.


@dataclass(frozen=True, slots=True)
class Names:
    """The names of an answer and of its record, masked where necessary."""

    title: str
    client: str
    conversation: str
    provider: str


Label = TypeVar("Label", StoredFieldLabel, StoredCitationLabel, StoredClaimLabel)


def mask_label(label: Label, hidden: frozenset[Text]) -> Label:
    """Return a label with note and reason masked."""
    return replace(label, note=masked(label.note, Text.NOTES, hidden), reason=masked(label.reason, Text.NOTES, hidden))


def mask_field_key(key: FieldKey, hidden: frozenset[Text]) -> FieldKey:
    """Return the key of a field, masked as ``mask_attribution`` masks its row."""
    section, path = key
    return (mask_key(section), mask_path(path)) if kind_of(section) in hidden else key


def mask_field_keys(labels: Sequence[StoredFieldLabel], hidden: frozenset[Text]) -> Sequence[StoredFieldLabel]:
    """Return labels of fields under masked keys."""
    return [replace(each, key=mask_field_key(each.key, hidden)) for each in labels]


def mask_labels(labels: Sequence[Label], hidden: frozenset[Text]) -> Sequence[Label]:
    """Return labels with notes and reasons masked."""
    return [mask_label(each, hidden) for each in labels] if Text.NOTES in hidden else labels


def mask_reviews(reviews: Sequence[ReviewLabels], hidden: frozenset[Text]) -> Sequence[ReviewLabels]:
    """Return reviews with their labels masked."""
    if Text.NOTES not in hidden:
        return reviews
    return [
        replace(
            each,
            fields={mask_field_key(key, hidden): mask_label(label, hidden) for key, label in each.fields.items()},
            citations={key: mask_label(label, hidden) for key, label in each.citations.items()},
            claims={key: mask_label(label, hidden) for key, label in each.claims.items()},
        )
        for each in reviews
    ]


def mask_decisions(made: Mapping[RowKey, StoredDecision], hidden: frozenset[Text]) -> Mapping[RowKey, StoredDecision]:
    """Return decisions with their reasons and keys masked."""
    return {_mask_row_key(key, hidden): replace(each, reason=masked(each.reason, Text.NOTES, hidden)) for key, each in made.items()}


def _mask_row_key(key: RowKey, hidden: frozenset[Text]) -> RowKey:
    return key if isinstance(key, CitationKey | ClaimKey) else mask_field_key(key, hidden)


def names_of(snapshot: Snapshot, hidden: frozenset[Text]) -> Names:
    """Return the names of an answer."""
    client, conversation = (masked(each, Text.REFERENCES, hidden) for each in (snapshot.client_reference, snapshot.conversation_id))
    own = snapshot.conversation_id or snapshot.client_reference or snapshot.external_id
    title = name_instead(snapshot.pk) if Text.REFERENCES in hidden else own
    return Names(title, client, conversation, masked(snapshot.provider, Text.PROVIDER, hidden))
