"""What exactly is signed of a review, as canonical JSON: the same rows give the same bytes, whenever and wherever they are read.

No text of the answer is in it and no value: digests of what is frozen and attributed, and each label that counts with its verdict and
digests of what was written beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from attribution import canonical_bytes, digest
from reviewers.review.citations import CitationKey
from reviewers.review.signature_models import Signed
from reviewers.review.signing.loading import Review, Written, named_out_of_json

VERSION = 1

Statement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Covered:
    """Which rows of a review a statement is made of."""

    attribution: str
    found: str | None
    fields: Sequence[Written]
    citations: Sequence[Written]
    decisions: Sequence[Written] = ()
    reopenings: Sequence[str] = ()


def state_now(review: Review) -> Statement:
    """The statement of a review as it stands."""
    return _state(review, covered_by(review, review.label_count))


def state_again(review: Review, statement: Statement) -> Statement:
    """A statement of before, made again out of the rows that it names: the same, unless one of them is not what it was."""
    found = statement["found_afterwards"]
    names = {each["id"] for each in (*statement["fields"], *statement["citations"])}
    return _state(
        review,
        Covered(
            attribution=statement["attribution"]["id"],
            found=found["id"] if found else None,
            fields=[row for row in review.fields if row["id"] in names],
            citations=[row for row in review.citations if row["id"] in names],
            decisions=[row for row in review.decisions if row["id"] in {each["id"] for each in statement.get("decisions", ())}],
            reopenings=[each for each in review.reopenings if each in statement.get("reopened", ())],
        ),
    )


def state_before(review: Review, label_count: int) -> Statement:
    """The statement of a review when it had so many labels, were all else as it is now."""
    return _state(review, covered_by(review, label_count))


def covered_by(review: Review, label_count: int) -> Covered:
    """The newest label of each field and citation among the first labels, unless it says nothing; and what is shown now."""
    first = {row["id"] for row in sorted((*review.fields, *review.citations), key=lambda row: row["id"])[:label_count]}
    found = [each["id"] for each in review.found if each["attribution"] == str(review.shown)]
    return Covered(
        attribution=str(review.shown),
        found=found[-1] if found else None,
        fields=_newest((row for row in review.fields if row["id"] in first), field_of),
        citations=_newest((row for row in review.citations if row["id"] in first), citation_of),
        decisions=list({decided_of(row): row for row in review.decisions}.values()),
        reopenings=review.reopenings,
    )


def field_of(row: Written) -> tuple[Any, ...]:
    """Which field a label is of."""
    return row["section"], row["path"]


def citation_of(row: Written) -> tuple[Any, ...]:
    """Which citation a label is of."""
    return tuple(row[name] for name in CitationKey._fields)


def decided_of(row: Written) -> tuple[Any, ...]:
    """Which field or citation a decision is of."""
    return row["is_citation"], *field_of(row), *citation_of(row)


def _newest(rows: Iterable[Written], key: Callable[[Written], tuple[Any, ...]]) -> list[Written]:
    newest = {key(row): row for row in rows}
    return [row for row in newest.values() if row["verdict"] != "none" or row["note"]]


def _state(review: Review, covered: Covered) -> Statement:
    attribution = review.attributions.get(covered.attribution, {})
    found = next((each for each in review.found if each["id"] == covered.found), None)
    stated: dict[str, Any] = {
        "v": VERSION,
        "object": {"type": Signed.REVIEW.value, "id": str(review.id)},
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
    """What came of a review after it was in: decisions between its labels and others, reopenings. Named only where there are any."""
    decided = [{**row, "reason": _digest(row["reason"])} for row in sorted(covered.decisions, key=lambda row: row["id"])]
    named = {"decisions": decided, "reopened": list(covered.reopenings)}
    return {name: rows for name, rows in named.items() if rows}


def _label(row: Written) -> dict[str, Any]:
    """A label, with digests where it has texts."""
    return {**row, "note": _digest(row["note"]), "reason": _digest(row["reason"])}


def _digest(text: str) -> str | None:
    return digest(text.encode()) if text else None


def bytes_of(statement: Statement) -> bytes:
    """Its canonical form."""
    return canonical_bytes(statement)


def digest_of(statement: Statement) -> str:
    """Its digest, by which signatures name it."""
    return digest(bytes_of(statement))
