"""The page of imported labels: what came from where, and which profiles use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from reviewers.accounts.models import Organisation
from reviewers.calibration import words
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.import_models import ImportedSet, Origin
from reviewers.calibration.models import SeenCombination


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An imported set. ``who`` is empty where a command brought it."""

    id: UUID
    combination_id: UUID
    combination: str
    kind: str
    source: str
    digest: str
    labels: int
    conversations: int
    who: str
    at: datetime


def list_imports(organisation: Organisation, seen: SeenCombination | None = None) -> Sequence[ImportRow]:
    """The sets of an organisation or of one of its combinations, the newest first; in one statement."""
    sets = ImportedSet.objects.filter(organisation=organisation, combination__engine=ENGINE)
    found = (sets.filter(combination=seen) if seen else sets).select_related("imported_by", "combination")
    return [_row(each) for each in found.defer("document").order_by("-id")]


def combinations_of(organisation: Organisation) -> QuerySet[SeenCombination]:
    """Those that turns may stand for."""
    return SeenCombination.objects.filter(organisation=organisation, engine=ENGINE).order_by("model", "prompt_version", "schema_version")


def _row(each: ImportedSet) -> ImportRow:
    return ImportRow(
        id=each.pk,
        combination_id=each.combination_id,
        combination=words.combination_in_words(each.combination.model, each.combination.prompt_version),
        kind=Origin(each.origin).label,
        source=each.source,
        digest=f"sha256:{bytes(each.digest).hex()}",
        labels=each.label_count,
        conversations=each.conversation_count,
        who=each.imported_by.name if each.imported_by else "",
        at=each.imported_at,
    )
