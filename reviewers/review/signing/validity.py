"""Whether signatures still hold, as lists and filters ask it: by counting instead of by digests.

Labels are only ever added, so a review has changed since it was signed exactly if it has more of them, its item shows another
attribution, something was found afterwards, parts of it were redacted, a lead has decided something of it, or it was reopened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import Exists, F, Func, JSONField, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from reviewers.review.models import QueueItem, State
from reviewers.review.signature_models import Meaning, Signature
from reviewers.snapshots.models import SearchOutcome

HOLDS, VOID, NONE = "holds", "void", "none"
CHOICES = ((HOLDS, "Signed"), (VOID, "Changed since"), (NONE, "Submitted, not signed"))
"""What a list can be narrowed to."""


@dataclass(frozen=True, slots=True)
class SignedAs:
    """In short what an item is signed as, by how many it holds, and what of it has become void."""

    holding: Sequence[str]
    void: Sequence[str]


_FROM = """
    review_signature AS signature JOIN review_submission AS review ON review.id = signature.review_id
    JOIN review_queueitem AS item ON item.snapshot_id = review.snapshot_id
"""

_HOLDS = f"""(
    signature.statement <> '' AND item.attribution_id = signature.attribution_id
    AND signature.label_count = (
        SELECT count(*) FROM review_label AS label
        WHERE (label.snapshot_id, label.reviewer_id) = (review.snapshot_id, review.reviewer_id)
    ) + (
        SELECT count(*) FROM review_citationlabel AS label
        WHERE (label.snapshot_id, label.reviewer_id) = (review.snapshot_id, review.reviewer_id)
    )
    AND NOT EXISTS (
        SELECT FROM snapshots_citationsearchresult AS result JOIN snapshots_citationsearch AS search ON search.id = result.search_id
        WHERE search.attribution_id = signature.attribution_id AND result.outcome = '{SearchOutcome.FOUND.value}'
        AND result.ended_at > signature.signed_at
    )
    AND NOT EXISTS (
        SELECT FROM review_decision AS decision
        WHERE (decision.snapshot_id, decision.round) = (review.snapshot_id, review.round) AND decision.id > signature.id
    )
    AND NOT EXISTS (
        SELECT FROM review_reopening AS reopening
        WHERE reopening.snapshot_id = review.snapshot_id AND reopening.round > review.round AND reopening.id > signature.id
    )
)"""  # noqa: S608 — nothing in it comes from outside
"""True if nothing has changed since."""

_NEWEST = """NOT EXISTS (
    SELECT FROM review_signature AS later
    WHERE (later.object_type, later.object_id, later.signer_id, later.meaning)
    = (signature.object_type, signature.object_id, signature.signer_id, signature.meaning) AND later.id > signature.id
)"""
"""True if the same person has not signed again in the same meaning."""

_SIGNED = {
    HOLDS: f"SELECT review.snapshot_id FROM {_FROM} WHERE {_HOLDS}",  # noqa: S608 — the same
    VOID: f"SELECT review.snapshot_id FROM {_FROM} WHERE NOT {_HOLDS} AND {_NEWEST}",  # noqa: S608 — the same
}


def with_signatures(items: QuerySet[QueueItem], chosen: frozenset[str]) -> QuerySet[QueueItem]:
    """Only the items that stand so; without anything chosen all."""
    if not chosen:
        return items
    wanted = {name: Q(pk__in=RawSQL(statement, ())) for name, statement in _SIGNED.items()}  # noqa: S611 — the same
    wanted[NONE] = Q(~Exists(Signature.objects.filter(review__snapshot=OuterRef("pk"))), state=State.SUBMITTED)
    found = Q()
    for name in sorted(chosen & wanted.keys()):
        found |= wanted[name]
    return items.filter(found)


class _SignedAs(Func):
    template = f"""ARRAY(
        SELECT jsonb_build_object('meaning', signature.meaning, 'holds', {_HOLDS})
        FROM {_FROM} WHERE review.snapshot_id = %(expressions)s AND {_NEWEST} ORDER BY signature.id
    )"""  # noqa: S608 — the same
    output_field = ArrayField(JSONField())


def signed_as() -> Func:
    """Return the newest signatures of each item by signer and meaning, as an annotation."""
    return _SignedAs(F("pk"))


def read_signed_as(annotated: Sequence[Mapping[str, Any]]) -> SignedAs:
    """What ``signed_as`` gave, in words: each meaning once."""
    holding = dict.fromkeys(each["meaning"] for each in annotated if each["holds"])
    void = dict.fromkeys(each["meaning"] for each in annotated if not each["holds"])
    return SignedAs(*([Meaning(name).label.lower() for name in names] for names in (holding, void)))
