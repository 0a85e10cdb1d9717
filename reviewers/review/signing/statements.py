"""Statements: what a signature of a review signs, as canonical JSON.

The same rows give the same bytes, whenever and wherever they are read. A statement contains no text of the answer and no value: only
digests of what is frozen and attributed, and each label that counts, with its verdict and digests of what was written on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet
from django.db.models.functions import JSONObject

from attribution import canonical_bytes, digest
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.models import CitationLabel, Decision, Label, Phase, Reopening, SignedKind, Submission, UnsupportedClaim
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.models import CitationSearchResult, SearchOutcome, SnapshotAttribution
from reviewers.snapshots.queries import named

FIELD_COLUMNS = ("id", "section", "path", "verdict", "truth", "is_misstated", "note", "reason")
CITATION_COLUMNS = ("id", *CitationKey._fields, "verdict", "note", "reason")
CLAIM_COLUMNS = ("id", *ClaimKey._fields, "verdict", "note", "reason")
DECISION_COLUMNS = ("id", "kind", "section", "path", *CitationKey._fields, "verdict", "reason", "labels", "decided_by_id")

Written = Mapping[str, Any]
"""A row by its columns, as JSON has them."""


@dataclass(frozen=True, slots=True)
class SignableReview:
    """A submitted review with all its labels and the digests of what they are about.

    ``shown`` is the attribution that its item shows now. ``found`` are the results of citation searches, of any attribution. ``decisions``
    are those of leads in its round. ``reopenings`` have put its item back into the queue since; ``is_present`` is true if there are none.
    ``is_in_doubt`` is true if conflicts of its item wait for a lead.
    """

    id: UUID
    organisation_id: UUID
    reviewer_id: UUID
    reviewer: str
    submitted_at: datetime
    submission_digest: str
    item_id: UUID
    snapshot_digest: str
    content_digest: str
    shown: UUID
    attributions: Mapping[str, Written]
    found: Sequence[Written]
    fields: Sequence[Written]
    citations: Sequence[Written]
    claims: Sequence[Written]
    round: int
    is_present: bool
    is_in_doubt: bool
    decisions: Sequence[Written]
    reopenings: Sequence[str]

    @property
    def label_count(self) -> int:
        """Return the number of labels ever given in it."""
        return len(self.fields) + len(self.citations) + len(self.claims)


def load_reviews(organisation_id: UUID, item_id: UUID) -> list[SignableReview]:
    """Return the submitted reviews of an item in the order of submission, in one query."""
    return load_reviews_of(organisation_id, [item_id])


def load_reviews_of(organisation_id: UUID, item_ids: Sequence[UUID]) -> list[SignableReview]:
    """Return the submitted reviews of several items, in one query."""
    rows = Submission.objects.filter(organisation=organisation_id, snapshot__in=item_ids).order_by("submitted_at", "id")
    return [_read(row) for row in _select(rows)]


def _select(rows: QuerySet[Submission]) -> QuerySet[Submission, Any]:
    by_review = {"snapshot": OuterRef("snapshot"), "reviewer": OuterRef("reviewer")}
    of_snapshot = SnapshotAttribution.objects.filter(snapshot=OuterRef("snapshot"))
    decided = Decision.objects.filter(snapshot=OuterRef("snapshot"), round=OuterRef("round")).order_by("id")
    reopened = Reopening.objects.filter(snapshot=OuterRef("snapshot"), round__gt=OuterRef("round")).order_by("round")
    found = CitationSearchResult.objects.filter(search__attribution__snapshot=OuterRef("snapshot"), outcome=SearchOutcome.FOUND)
    return rows.values(
        "id",
        "organisation_id",
        "reviewer_id",
        "submitted_at",
        "digest",
        "snapshot_id",
        "round",
        phase=F("snapshot__item__phase"),
        reviewer_name=F("reviewer__name"),
        snapshot_digest=F("snapshot__digest"),
        content_digest=F("snapshot__content_digest"),
        shown=F("snapshot__item__attribution_id"),
        attributions=ArraySubquery(of_snapshot.values(json=JSONObject(**_ATTRIBUTION))),
        found=ArraySubquery(found.order_by("search__number").values(json=JSONObject(**_FOUND))),
        fields=ArraySubquery(Label.objects.filter(**by_review).order_by("id").values(json=_columns(FIELD_COLUMNS))),
        citations=ArraySubquery(CitationLabel.objects.filter(**by_review).order_by("id").values(json=_columns(CITATION_COLUMNS))),
        claims=ArraySubquery(UnsupportedClaim.objects.filter(**by_review).order_by("id").values(json=_columns(CLAIM_COLUMNS))),
        decisions=ArraySubquery(decided.values(json=_columns(DECISION_COLUMNS))),
        reopenings=ArraySubquery(reopened.values("id")),
    )


_ATTRIBUTION = {"id": "id", "digest": "digest", "profile": "profile_id", "engine": "engine_version", "documents": "documents__digest"}
_FOUND = {"id": "id", "attribution": "search__attribution_id", "digest": "digest"}


def _columns(names: Sequence[str]) -> JSONObject:
    return JSONObject(**{name: name for name in names})


def _read(row: Mapping[str, Any]) -> SignableReview:
    return SignableReview(
        id=row["id"],
        organisation_id=row["organisation_id"],
        reviewer_id=row["reviewer_id"],
        reviewer=row["reviewer_name"],
        submitted_at=row["submitted_at"],
        submission_digest=named(row["digest"]),
        item_id=row["snapshot_id"],
        snapshot_digest=named(row["snapshot_digest"]),
        content_digest=named(row["content_digest"]),
        shown=row["shown"],
        attributions={each["id"]: each for each in row["attributions"]},
        found=row["found"],
        fields=row["fields"],
        citations=row["citations"],
        claims=row["claims"],
        round=row["round"],
        is_present=not row["reopenings"],
        is_in_doubt=row["phase"] == Phase.CONSOLIDATING,
        decisions=row["decisions"],
        reopenings=[str(each) for each in row["reopenings"]],
    )


def named_out_of_json(digest: str | None) -> str | None:
    r"""Return a digest with its prefix, from a binary column in JSON: hexadecimal digits after ``\x``."""
    return "sha256:" + digest.removeprefix("\\x") if digest else None


# Statements.


VERSION = 1

Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Covered:
    """The rows of a review that a statement is made of."""

    attribution: str
    found: str | None
    fields: Sequence[Written]
    citations: Sequence[Written]
    claims: Sequence[Written] = ()
    decisions: Sequence[Written] = ()
    reopenings: Sequence[str] = ()


def state_now(review: SignableReview) -> Statement:
    """Return the statement of a review as it is now."""
    return _state(review, covered_by(review, review.label_count))


def rebuild_statement(review: SignableReview, statement: Statement) -> Statement:
    """Return an earlier statement rebuilt from the rows that it names. It is equal unless one of them was altered."""
    found = statement["found_afterwards"]
    names = {each["id"] for each in (*statement["fields"], *statement["citations"], *statement.get("claims", ()))}
    return _state(
        review,
        Covered(
            attribution=statement["attribution"]["id"],
            found=found["id"] if found else None,
            fields=[row for row in review.fields if row["id"] in names],
            citations=[row for row in review.citations if row["id"] in names],
            claims=[row for row in review.claims if row["id"] in names],
            decisions=[row for row in review.decisions if row["id"] in {each["id"] for each in statement.get("decisions", ())}],
            reopenings=[each for each in review.reopenings if each in statement.get("reopened", ())],
        ),
    )


def state_before(review: SignableReview, label_count: int) -> Statement:
    """Return the statement of a review when it had only so many labels, if everything else was as it is now."""
    return _state(review, covered_by(review, label_count))


def covered_by(review: SignableReview, label_count: int) -> Covered:
    """Return the rows that a statement covers.

    These are the newest of the first ``label_count`` labels on each field, citation and words, unless it says nothing, and what is shown
    now.
    """
    given = (*review.fields, *review.citations, *review.claims)
    first = {row["id"] for row in sorted(given, key=lambda row: row["id"])[:label_count]}
    found = [each["id"] for each in review.found if each["attribution"] == str(review.shown)]
    return Covered(
        attribution=str(review.shown),
        found=found[-1] if found else None,
        fields=_newest((row for row in review.fields if row["id"] in first), field_of),
        citations=_newest((row for row in review.citations if row["id"] in first), citation_of),
        claims=_newest((row for row in review.claims if row["id"] in first), claim_of),
        decisions=list({decided_of(row): row for row in review.decisions}.values()),
        reopenings=review.reopenings,
    )


def field_of(row: Written) -> tuple[Any, ...]:
    """Return the field that a label is on."""
    return row["section"], row["path"]


def citation_of(row: Written) -> tuple[Any, ...]:
    """Return the citation that a label is on."""
    return tuple(row[name] for name in CitationKey._fields)


def claim_of(row: Written) -> tuple[Any, ...]:
    """Return the words that a label is on."""
    return row["start"], row["end"]


def decided_of(row: Written) -> tuple[Any, ...]:
    """Return the field, citation or claim that a decision is on."""
    return row["kind"], *field_of(row), *citation_of(row)


def _newest(rows: Iterable[Written], key: Callable[[Written], tuple[Any, ...]]) -> list[Written]:
    newest = {key(row): row for row in rows}
    return [row for row in newest.values() if row["verdict"] != "none" or row["note"]]


def _state(review: SignableReview, covered: Covered) -> Statement:
    attribution = review.attributions.get(covered.attribution, {})
    found = next((each for each in review.found if each["id"] == covered.found), None)
    stated: dict[str, Any] = {
        "v": VERSION,
        "object": {"type": SignedKind.REVIEW.value, "id": str(review.id)},
        "organisation": str(review.organisation_id),
        "snapshot": {"id": str(review.item_id), "digest": review.snapshot_digest, "content": review.content_digest},
        "attribution": {
            "id": covered.attribution,
            "digest": named_out_of_json(attribution.get("digest")),
            "profile": attribution.get("profile"),
            "engine": attribution.get("engine"),
        },
        "documents": named_out_of_json(attribution.get("documents")),
        "found_afterwards": {"id": found["id"], "digest": named_out_of_json(found["digest"])} if found else None,
        "review": {
            "reviewer": str(review.reviewer_id),
            "submitted_at": review.submitted_at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "digest": review.submission_digest,
        },
        "fields": sorted((_label(row) for row in covered.fields), key=lambda label: label["id"]),
        "citations": sorted((_label(row) for row in covered.citations), key=lambda label: label["id"]),
    }
    return stated | _since(covered)


def _since(covered: Covered) -> dict[str, Any]:
    """Return the labels of words, and the decisions and reopenings after submission. They are included only if there are any."""
    decided = [{**row, "reason": _digest(row["reason"])} for row in sorted(covered.decisions, key=lambda row: row["id"])]
    claims = sorted((_label(row) for row in covered.claims), key=lambda label: label["id"])
    named = {"claims": claims, "decisions": decided, "reopened": list(covered.reopenings)}
    return {name: rows for name, rows in named.items() if rows}


def _label(row: Written) -> dict[str, Any]:
    """Return a label with digests in place of its texts."""
    return {**row, "note": _digest(row["note"]), "reason": _digest(row["reason"])}


def _digest(text: str) -> str | None:
    return digest(text.encode()) if text else None


def digest_of(statement: Statement) -> str:
    """Return the digest by which signatures name a statement."""
    return digest(canonical_bytes(statement))


# Changes between two statements.


def changes_between(before: Statement, after: Statement) -> list[str]:
    """Return the changes between two statements in words, such as ``2 labels`` or ``1 label of a citation``."""
    found = [
        _counted(_differing(before["fields"], after["fields"], field_of), "label", "labels"),
        _counted(_differing(before["citations"], after["citations"], citation_of), "label of a citation", "labels of citations"),
    ]
    claimed = _differing(before.get("claims", ()), after.get("claims", ()), claim_of)
    found.append(_counted(claimed, "label of words", "labels of words"))
    decided = _differing(before.get("decisions", ()), after.get("decisions", ()), decided_of)
    found.append(_counted(decided, "decision of a lead", "decisions of a lead"))
    found += [words for name, words in _WORDS.items() if before.get(name) != after.get(name)]
    return [words for words in found if words]


_WORDS = {
    "snapshot": "the original record",
    "attribution": "the attribution",
    "documents": "what is found of documents",
    "found_afterwards": "citations found afterwards",
    "review": "the submission",
    "object": "the object",
    "reopened": "reopened for another review",
    "organisation": "the organisation",
}


def _differing(before: Sequence[Written], after: Sequence[Written], key: Callable[[Written], tuple[Any, ...]]) -> int:
    """Return the number of fields or citations with a different label, one more or none any more."""
    old, new = ({key(label): label for label in labels} for labels in (before, after))
    return sum(old.get(name) != new.get(name) for name in old.keys() | new.keys())


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""
