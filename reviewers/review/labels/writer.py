"""Writes labels with their events. Each label keeps what the reviewer was shown, so that it stays valid when the engine changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
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
class SentAct:
    """An act that a program sends: the identifier by which it can repeat it, and what it had read of the item.

    ``is_blind`` is true if that was the item of a blind review, None if the act counts no citations.
    """

    id: UUID
    attribution_id: UUID
    is_blind: bool | None = None

    def check_is_current(self, item: ReviewItem) -> None:
        """Raise ``Refused`` if the numbers of rows or citations mean others now."""
        policies.check_is_current(item, self.attribution_id)
        if self.is_blind is not None:
            policies.check_is_counted_alike(item, is_blind=self.is_blind)


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A field, citation or finding as a form names it: by its number in an attribution.

    ``reason`` is for changes after submission. ``is_blind`` is true if a page of a blind review numbered it, None if no page did.
    ``action_id`` is the identifier that a program gave to its act, so that it can repeat it.
    """

    item_id: UUID
    attribution_id: UUID
    number: int
    reason: str = ""
    is_blind: bool | None = None
    action_id: UUID | None = None

    @property
    def sent(self) -> SentAct | None:
        """Return the act of the program that chose it, or None."""
        return SentAct(self.action_id, self.attribution_id, self.is_blind) if self.action_id else None


class LabelActions(NamedTuple):
    """The audit actions for one act on a label: of a field, of a citation and of words, which have no note without a label."""

    to_row: Action
    to_citation: Action
    to_claim: Action


SAVED = LabelActions(Action.LABEL_SAVED, Action.CITATION_LABEL_SAVED, Action.CLAIM_SAVED)
NOTED = LabelActions(Action.NOTE_SAVED, Action.CITATION_NOTE_SAVED, Action.CLAIM_SAVED)
UNDONE = LabelActions(Action.LABEL_UNDONE, Action.CITATION_LABEL_UNDONE, Action.CLAIM_UNDONE)


def find_repeated(item: ReviewItem, sent: SentAct | None, is_alike: Callable[[AnyLabel], bool]) -> list[AnyLabel]:
    """Return the labels that the viewer of a locked item wrote by the same act before, none if it is new or was not sent by a program.

    Raises ``Refused`` if what the program had read has changed, or if another act wrote them, one with labels that are not alike.
    """
    if sent is None:
        return []
    sent.check_is_current(item)
    of_act = {"snapshot": item.id, "reviewer": item.viewer.id, "action_id": sent.id}
    done = [kind.read(vars(label)) for kind in KINDS for label in kind.model.objects.filter(**of_act).order_by("id")]
    if not all(map(is_alike, done)):
        raise Refused("You have given this id to another act. Give each act an id of its own.")
    return done


def hold_item(item: ReviewItem, choice: RowChoice, by: Membership, now: datetime) -> None:
    """Have the member hold the locked item of a choice. Raises ``Refused`` or ``Invalid`` if it cannot be labelled now."""
    policies.check_is_current(item, choice.attribution_id)
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
    actions: LabelActions,
    labels: Sequence[Label] = (),
    citation_labels: Sequence[CitationLabel] = (),
    claims: Sequence[UnsupportedClaim] = (),
) -> None:
    """Save labels with their events, and add them to the item."""
    events = [_row_event(draft, label, actions.to_row) for label in labels]
    events += [_citation_event(draft, label, actions.to_citation) for label in citation_labels]
    events += [_claim_event(draft, label, actions.to_claim) for label in claims]
    record_all(events, [*labels, *citation_labels, *claims])
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


def _row_event(draft: LabelDraft, label: Label, action: Action) -> Event:
    said = {"verdict": label.verdict, "truth": label.truth, "misstated": label.is_misstated}
    return _event(draft, action, label, said, _parts("field", [label.section, label.path], label))


def _citation_event(draft: LabelDraft, label: CitationLabel, action: Action) -> Event:
    name = [label.source, label.is_own, label.start, label.end, label.repeat]
    return _event(draft, action, label, {"verdict": label.verdict, "own": label.is_own}, _parts("citation", name, label))


def _claim_event(draft: LabelDraft, label: UnsupportedClaim, action: Action) -> Event:
    return _event(draft, action, label, {"verdict": label.verdict}, _parts("words", [label.start, label.end], label))


def _event(
    draft: LabelDraft, action: Action, label: Label | CitationLabel | UnsupportedClaim, said: dict[str, Any], parts: list[Part]
) -> Event:
    """Return the event of a label. While others may not know the label, the event only commits to what it says.

    Nor does it tell then whether a citation is the model's own, because the reviewer can read the events of their own acts.
    """
    details: dict[str, Any] = {
        "label": str(label.id),
        "replaces": str(label.replaces_id) if label.replaces_id else None,
        "after_submission": draft.item.is_submitted,
    }
    if may_be_told(draft.item.review_status, draft.by.user_id):
        details |= said
    else:
        parts = [*parts, ("said", canonical_bytes(said))]
    return item_event(action, draft.item, draft.by, draft.now, details, parts, [label])


def _parts(kind: str, name: list[Any], label: Label | CitationLabel | UnsupportedClaim) -> list[Part]:
    parts: list[Part] = [(kind, canonical_bytes(name)), ("shown", canonical_bytes(label.shown))]
    return parts + [(part, text.encode()) for part, text in (("note", label.note), ("reason", label.reason)) if text]
