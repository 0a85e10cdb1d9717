"""Seeds rows with a known truth into a blind plan: as many right as wrong ones, at most one of each an item.

Right ones are cited by the answer and stand in it. Wrong ones are fields with a value that the answer does not mention in any way; they
are shown as if they had been found, and whoever looks says that they were not. Which rows are chosen follows
from the plan's seed and a key of the server; once chosen they are stored, and are not computed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils.crypto import salted_hmac

from reviewers.review.models import QueueItem
from reviewers.review.plan_models import GoldRow, Plan, PlanItem
from reviewers.review.plans.candidates import documents_of

_TELLING = frozenset({"enum", "numeric", "date", "time", "money", "name", "identifier", "duration"})
"""Types whose values cannot be drawn on without a trace."""


def seed_rows(*, plan: Plan, added: Sequence[PlanItem]) -> Sequence[GoldRow]:
    """Choose and write them."""
    if not plan.gold_share:
        return ()
    drawn = {each.item_id: each for each in added}
    documents = list(documents_of(QueueItem.objects.filter(pk__in=drawn)))
    half = round(sum("method" in row for _, document in documents for row in document["fields"]) * plan.gold_share / 2)
    chosen = {is_right: _chosen(documents, plan.seed, is_right=is_right) for is_right in (True, False)}
    count = min(half, *map(len, chosen.values()))
    rows = [
        GoldRow(organisation_id=plan.organisation_id, drawn=drawn[pk], section=row["section"], path=row["path"], is_right=is_right)
        for is_right, its in chosen.items()
        for pk, row in its[:count]
    ]
    GoldRow.objects.bulk_create(rows, batch_size=1_000)
    return rows


def _chosen(documents: Sequence[tuple[UUID, Mapping[str, Any]]], seed: str, *, is_right: bool) -> list[tuple[UUID, Mapping[str, Any]]]:
    """One row of each item that has any, in the order of their ranks."""
    best: dict[UUID, tuple[bytes, Mapping[str, Any]]] = {}
    for pk, document in documents:
        ranked = [(_rank(seed, pk, row), row) for row in _eligible(document, is_right=is_right)]
        if ranked:
            best[pk] = min(ranked, key=lambda each: each[0])
    return [(pk, row) for pk, (_, row) in sorted(best.items(), key=lambda each: each[1][0])]


def _eligible(document: Mapping[str, Any], *, is_right: bool) -> list[Mapping[str, Any]]:
    plain = [row for row in document["fields"] if "contradiction" not in row and not row.get("hidden")]
    if is_right:
        return [row for row in plain if row["track"] == "cited_and_found"]
    return [row for row in plain if row["track"] == "neither" and row["field_type"] in _TELLING]


def _rank(seed: str, pk: UUID, row: Mapping[str, Any]) -> bytes:
    """Return where a row stands among those that could be seeded.

    By a key of the server: whoever reads the seed of a plan could compute otherwise which of its rows were seeded.
    """
    written = f"{seed}\0gold\0{pk}\0{row['section']}\0{row['path']}"
    return salted_hmac("reviewers.review.plans.gold", written, algorithm="sha256").digest()
