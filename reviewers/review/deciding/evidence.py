"""What a lead looks at to decide a conflict: what the row claims, and where the answer and its sources show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attribution import Reference
from reviewers.review.answer_text import Layer, Paragraph, lay_out
from reviewers.review.citations import Citation, CitationKey
from reviewers.review.cited_passages import cited_passage
from reviewers.review.deciding.made import RowKey
from reviewers.review.items import Item, field_key
from reviewers.review.page_rows import Row, build_row
from reviewers.review.passage import Segment
from reviewers.review.plans.blinding import without_evidence
from reviewers.review.source_checks import Check, checks_of


@dataclass(frozen=True, slots=True)
class Claimed:
    """A citation of a document: the words it stands for, its source, and what checking it found."""

    number: int
    title: str
    claim: str
    quote: str
    checks: Sequence[Check]
    passage: Sequence[Segment]
    status: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row to be decided. Either ``field`` or ``citation`` is there, or neither where the attribution has no such row any more."""

    name: str
    paragraphs: Sequence[Paragraph]
    field: Row | None = None
    citation: Claimed | None = None


def evidence_of(item: Item, key: RowKey) -> Evidence:
    """All of it, with the answer in which only this row is marked."""
    return _of_citation(item, key) if isinstance(key, CitationKey) else _of_field(item, *key)


def name_of(item: Item, key: RowKey) -> str:
    """A row in a few words."""
    if not isinstance(key, CitationKey):
        return " · ".join(key)
    found = next((each for each in item.citations if each.key == key), None)
    return f"citation {found.number + 1}" if found else f"citation of {key.source}"


def _of_field(item: Item, section: str, path: str) -> Evidence:
    attribution, key = item.shown.attribution, (section, path)
    number = next((number for number, row in enumerate(attribution.fields) if field_key(row) == key), None)
    if number is None:
        return Evidence(name_of(item, key), lay_out(without_evidence(attribution)))
    row = attribution.fields[number]
    alone = replace(
        attribution,
        fields=(row,),
        markers=tuple(each for each in attribution.markers if (each.section, each.path) == (row.field.section, row.field.path)),
        guardrails=(),
    )
    return Evidence(name_of(item, key), lay_out(alone), field=build_row(item, number))


def _of_citation(item: Item, key: CitationKey) -> Evidence:
    plain = without_evidence(item.shown.attribution)
    found = next((each for each in item.citations if each.key == key), None)
    if found is None:
        return Evidence(name_of(item, key), lay_out(plain))
    return Evidence(name_of(item, key), lay_out(plain, _marked(found.reference)), citation=_claimed(item, found))


def _marked(reference: Reference) -> Sequence[Layer]:
    return [(*reference.span, "matched", 0)] if reference.span and reference.span[0] < reference.span[1] else ()


def _claimed(item: Item, citation: Citation) -> Claimed | None:
    documents, reference = item.documents, citation.reference
    if documents is None:
        return None
    source = next(each for each in documents.sources if each.id == citation.source)
    return Claimed(
        number=citation.number + 1,
        title=source.title or source.path or source.uri or source.source_id or source.id,
        claim=documents.clean_text[slice(*reference.span)].strip() if reference.span else "",
        quote=reference.quote,
        checks=checks_of(reference.check),
        passage=cited_passage(reference, source),
        status=reference.status.value,
    )
