"""Whether signatures still hold, as lists and filters ask it: by counting instead of by digests.

Labels are only ever added, so a review has changed since it was signed exactly if it has more of them, its item shows another
attribution, something was found afterwards, parts of it were redacted, a lead has decided something of it, or it was reopened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject

from reviewers.review.citation_models import CitationLabel
from reviewers.review.decision_models import Decision, Reopening
from reviewers.review.models import Label, QueueItem, State
from reviewers.review.signature_models import Meaning, Signature
from reviewers.snapshots.models import CitationSearchResult, SearchOutcome

HOLDS, VOID, NONE = "holds", "void", "none"
CHOICES = ((HOLDS, "Signed"), (VOID, "Changed since"), (NONE, "Submitted, not signed"))
"""What a list can be narrowed to."""


@dataclass(frozen=True, slots=True)
class SignedAs:
    """In short what an item is signed as, by how many it holds, and what of it has become void."""

    holding: Sequence[str]
    void: Sequence[str]


def with_signatures(items: QuerySet[QueueItem], chosen: frozenset[str]) -> QuerySet[QueueItem]:
    """Only the items that stand so; without anything chosen all."""
    if not chosen:
        return items
    mine = Signature.objects.filter(review__snapshot=OuterRef("pk"))
    wanted = {
        HOLDS: Q(Exists(mine.filter(_holds()))),
        VOID: Q(Exists(mine.filter(~_holds(), ~Exists(_later())))),
        NONE: Q(~Exists(mine), state=State.SUBMITTED),
    }
    found = Q()
    for name in sorted(chosen & wanted.keys()):
        found |= wanted[name]
    return items.filter(found)


def signed_as() -> ArraySubquery:
    """The newest signatures of each item by signer and meaning, as an annotation."""
    newest = Signature.objects.filter(~Exists(_later()), review__snapshot=OuterRef("pk")).order_by("id")
    holds = Case(When(_holds(), then=Value(value=True)), default=Value(value=False))
    return ArraySubquery(newest.values(json=JSONObject(meaning="meaning", holds=holds)))


def read_signed_as(annotated: Sequence[Mapping[str, Any]]) -> SignedAs:
    """What ``signed_as`` gave, in words: each meaning once."""
    holding = dict.fromkeys(each["meaning"] for each in annotated if each["holds"])
    void = dict.fromkeys(each["meaning"] for each in annotated if not each["holds"])
    return SignedAs(*([Meaning(name).label.lower() for name in names] for names in (holding, void)))


def _holds() -> Q:
    """Whether nothing has changed since."""
    found = CitationSearchResult.objects.filter(
        search__attribution=OuterRef("attribution"), outcome=SearchOutcome.FOUND, ended_at__gt=OuterRef("signed_at")
    )
    is_same = ~Q(statement=b"") & Q(label_count=_count(Label) + _count(CitationLabel), review__snapshot__item__attribution=F("attribution"))
    later = {"snapshot": OuterRef("review__snapshot")}
    decided = Decision.objects.filter(**later, round=OuterRef("review__round"), id__gt=OuterRef("id"))
    reopened = Reopening.objects.filter(**later, round__gt=OuterRef("review__round"), id__gt=OuterRef("id"))
    return is_same & ~Q(Exists(found)) & ~Q(Exists(decided)) & ~Q(Exists(reopened))


def _count(kind: type[Label | CitationLabel]) -> Subquery:
    """How many labels of a kind there are in the review that was signed."""
    rows = kind.objects.filter(snapshot=OuterRef("review__snapshot"), reviewer=OuterRef("review__reviewer")).order_by()
    return Subquery(rows.annotate(n=Func(F("pk"), function="COUNT", output_field=IntegerField())).values("n"))


def _later() -> QuerySet[Signature]:
    """A later signature of the same by the same in the same meaning."""
    same = {name: OuterRef(name) for name in ("object_type", "object_id", "signer", "meaning")}
    return Signature.objects.filter(**same, id__gt=OuterRef("id"))
