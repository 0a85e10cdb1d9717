"""Writes labels with their events. Each label keeps what the reviewer was shown, so that it stays valid when the engine changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from attribution import FieldAttribution, canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Refused
from reviewers.ledger.actions import record_all
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.review import leases, policies
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import (
    KINDS,
    OF_CITATIONS,
    OF_CLAIMS,
    OF_FIELDS,
    AnyLabel,
    ClaimKey,
    StoredLabel,
    truth_of_verdict,
)
from reviewers.review.models import CitationLabel, CitationVerdict, ClaimVerdict, Label, UnsupportedClaim, Verdict
from reviewers.review.visibility import may_be_told
from reviewers.snapshots.citations import CitationKey, failures_of
from reviewers.snapshots.queries import named
from reviewers.web.models import uuid7


def label_context_of_row(item: ReviewItem, row: FieldAttribution) -> dict[str, Any]:
    """Return what the reviewer was shown of a row: its claim, rule, score and confidence."""
    attribution = item.attribution
    return {
        "attribution": str(item.row.attribution_id),
        "profile": attribution.profile,
        "engine": attribution.engine_version,
        "calibrated": attribution.is_calibrated,
        "field_type": row.field.type.value,
        "track": row.track.value,
        "method": row.method,
        "rule": row.rule,
        "score": row.score,
        "uncapped_score": row.evidence.uncapped_score if row.evidence and row.evidence.is_ambiguous else row.score,
        "evidence": f"{row.evidence.method}.{row.evidence.rule}" if row.evidence else None,
        "confidence": row.confidence,
        "contradicted": row.contradiction is not None,
        **_circumstances(item),
        **({"planted": True} if item.claims(row) and not row.is_used else {}),
    }


def label_context_of_citation(item: ReviewItem, key: CitationKey) -> dict[str, Any]:
    """Return what the reviewer was shown of a citation, in codes and figures without any words of the answer.

    A citation that no longer exists, as when a label is undone after a new attribution, was not shown.
    """
    seen = {"attribution": str(item.row.attribution_id), **_circumstances(item)}
    citation = next((each for each in item.citations if each.key == key), None)
    if citation is None or item.grounds is None:
        return seen
    reference, check = citation.reference, citation.reference.check
    return seen | {
        "documents": named(item.row.attribution.documents.digest),
        "engine": item.grounds.engine_version,
        "grammar": reference.grammar.value,
        "status": reference.status.value,
        "reference": reference.ordinal,
        "words": list(reference.span) if reference.span else None,
        "checked": check is not None,
        "failures": failures_of(check) if check else [],
        "quote": check.quote.rule.value if check and check.quote else None,
        "quote_verified": check.quote.is_verified if check and check.quote else None,
        "support": check.support.probability if check and check.support else None,
        "trust": item.grounds.trust[citation.source].score,
    }


def _circumstances(item: ReviewItem) -> dict[str, Any]:
    """Return the circumstances of the review: blind or not, and its plan."""
    return {"blind": item.is_blind} | ({"plan": str(item.row.plan_id)} if item.row.plan_id else {})


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A field, citation or finding as a form names it: by its number in an attribution.

    ``reason`` is for changes after submission. ``is_blind`` is true if a page of a blind review numbered it, None if no page did.
    ``action_id`` is the identifier that a program gave to its act, so that it can repeat it.
    """

    item_id: UUID
    attribution_id: UUID
    number: int = 0
    reason: str = ""
    is_blind: bool | None = None
    action_id: UUID | None = None

    def check_is_current(self, item: ReviewItem) -> None:
        """Raise ``Refused`` if the numbers of fields or citations mean others now."""
        policies.check_is_current(item, self.attribution_id)
        if self.is_blind is not None:
            policies.check_is_counted_alike(item, is_blind=self.is_blind)


LabelRow = Label | CitationLabel | UnsupportedClaim

SAVED: Mapping[type[LabelRow], Action] = {
    Label: Action.LABEL_SAVED,
    CitationLabel: Action.CITATION_LABEL_SAVED,
    UnsupportedClaim: Action.CLAIM_SAVED,
}
NOTED: Mapping[type[LabelRow], Action] = {Label: Action.NOTE_SAVED, CitationLabel: Action.CITATION_NOTE_SAVED}
UNDONE: Mapping[type[LabelRow], Action] = {
    Label: Action.LABEL_UNDONE,
    CitationLabel: Action.CITATION_LABEL_UNDONE,
    UnsupportedClaim: Action.CLAIM_UNDONE,
}
"""The audit actions of an act, by the kind of label."""


def find_repeated(item: ReviewItem, choice: RowChoice | None, is_alike: Callable[[AnyLabel], bool]) -> list[AnyLabel]:
    """Return the labels that the viewer of a locked item wrote by the same act before, none if it is new or was not sent by a program.

    Raises ``Refused`` if the program read the item before it changed, or if another act wrote them, one with labels that are not alike.
    """
    if choice is None or choice.action_id is None:
        return []
    choice.check_is_current(item)
    of_act = {"snapshot": item.id, "reviewer": item.viewer.id, "action_id": choice.action_id}
    done = [kind.read(vars(label)) for kind in KINDS for label in kind.model.objects.filter(**of_act).order_by("id")]
    if not all(map(is_alike, done)):
        raise Refused("You have given this id to another act. Give each act an id of its own.")
    return done


def hold_item(item: ReviewItem, choice: RowChoice, by: Membership, now: datetime) -> None:
    """Have the member hold the locked item of a choice. Raises ``Refused`` or ``Invalid`` if it cannot be labelled now."""
    choice.check_is_current(item)
    policies.check_may_label(item, by.user_id, now, choice.reason)
    if not item.is_submitted:
        leases.ensure_held(item=item, by=by, now=now)


@dataclass(frozen=True, slots=True)
class LabelDraft:
    """Builds unsaved labels of one item by one person and one action."""

    item: ReviewItem
    by: Membership
    now: datetime
    action_id: UUID = field(default_factory=uuid7)
    undoes: UUID | None = None

    def label(self, row: FieldAttribution, verdict: Verdict, note: str | None = None, reason: str = "") -> Label:
        """Return a label of a field. Without ``note`` it keeps the note of the label it replaces."""
        section, path = field_key(row)
        return Label(
            section=section,
            path=path,
            verdict=verdict,
            truth=truth_of_verdict(verdict, claims_used=self.item.claims(row)),
            is_misstated=verdict is Verdict.MISSTATED,
            shown=label_context_of_row(self.item, row),
            **self._written(self.item.current.get((section, path)), note, reason),
        )

    def citation_label(self, key: CitationKey, verdict: CitationVerdict, note: str | None = None, reason: str = "") -> CitationLabel:
        """Return a label of a citation. Without ``note`` it keeps the note of the label it replaces."""
        return CitationLabel(
            **key._asdict(),
            verdict=verdict,
            shown=label_context_of_citation(self.item, key),
            **self._written(self.item.current_citations.get(key), note, reason),
        )

    def claim_label(self, key: ClaimKey, verdict: ClaimVerdict, note: str | None = None, reason: str = "") -> UnsupportedClaim:
        """Return a label of words. Without ``note`` it keeps the note of the label it replaces."""
        return UnsupportedClaim(
            **key._asdict(),
            verdict=verdict,
            shown={"attribution": str(self.item.row.attribution_id), **_circumstances(self.item)},
            **self._written(self.item.current_claims.get(key), note, reason),
        )

    def _written(self, replaced: StoredLabel[Any, Any] | None, note: str | None, reason: str) -> dict[str, Any]:
        kept = replaced.note if replaced else ""
        return {
            "organisation_id": self.by.organisation_id,
            "snapshot_id": self.item.id,
            "reviewer_id": self.by.user_id,
            "note": kept if note is None else note,
            "reason": reason,
            "replaces_id": replaced.id if replaced else None,
            "action_id": self.action_id,
            "undoes": self.undoes,
            "created_at": self.now,
        }


def write(
    draft: LabelDraft,
    actions: Mapping[type[LabelRow], Action],
    labels: Sequence[Label] = (),
    citation_labels: Sequence[CitationLabel] = (),
    claims: Sequence[UnsupportedClaim] = (),
) -> None:
    """Save labels with their events, and add them to the item."""
    written: list[LabelRow] = [*labels, *citation_labels, *claims]
    record_all([_event(draft, actions[type(label)], label) for label in written], written)
    draft.item.add_labels(
        [OF_FIELDS.read(vars(label)) for label in labels],
        [OF_CITATIONS.read(vars(label)) for label in citation_labels],
        [OF_CLAIMS.read(vars(label)) for label in claims],
    )


def item_event(
    action: Action,
    item: ReviewItem,
    by: Membership,
    now: datetime,
    details: dict[str, Any] | None = None,
    parts: Sequence[Part] = (),
    rows: Sequence[Model] = (),
) -> Event:
    """Return an event about an item, with the rows that are written with it."""
    return Event(action, by.organisation_id, user_actor(by.user_id), now, "snapshot", item.id, details or {}, parts, rows=rows_of(rows))


def _event(draft: LabelDraft, action: Action, label: LabelRow) -> Event:
    """Return the event of a label. While others may not know the label, the event only commits to what it says.

    Nor does it tell then whether a citation is the model's own, because the reviewer can read the events of their own acts.
    """
    details: dict[str, Any] = {
        "label": str(label.id),
        "replaces": str(label.replaces_id) if label.replaces_id else None,
        "after_submission": draft.item.is_submitted,
    }
    said, parts = _said(label), _parts(label)
    if may_be_told(draft.item.review_status, draft.by.user_id):
        details |= said
    else:
        parts.append(("said", canonical_bytes(said)))
    return item_event(action, draft.item, draft.by, draft.now, details, parts, [label])


def _said(label: LabelRow) -> dict[str, Any]:
    if isinstance(label, Label):
        return {"verdict": label.verdict, "truth": label.truth, "misstated": label.is_misstated}
    return {"verdict": label.verdict} | ({"own": label.is_own} if isinstance(label, CitationLabel) else {})


def _parts(label: LabelRow) -> list[Part]:
    """Return the parts that the event of a label commits to. The first is named after the kind of label, and names its place."""
    if isinstance(label, Label):
        place: Part = ("field", canonical_bytes([label.section, label.path]))
    elif isinstance(label, CitationLabel):
        place = ("citation", canonical_bytes([label.source, label.is_own, label.start, label.end, label.repeat]))
    else:
        place = ("words", canonical_bytes([label.start, label.end]))
    texts = [(part, text.encode()) for part, text in (("note", label.note), ("reason", label.reason)) if text]
    return [place, ("shown", canonical_bytes(label.shown)), *texts]
