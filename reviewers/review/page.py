"""The review page as plain values: everything its templates show of the frozen turn, worked out before it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution import Attribution, DocumentAttribution
from reviewers.ledger.redacted import Redacted
from reviewers.review import words
from reviewers.review.afterwards import words_of_found
from reviewers.review.answer_text import Paragraph, Placed, lay_out
from reviewers.review.citation_page import judged_by_place, judging_of
from reviewers.review.confidence_words import calibration_badge
from reviewers.review.grounding import Grounding, build_grounding, with_flags
from reviewers.review.holds.held import Held
from reviewers.review.items import Item
from reviewers.review.masking.reveals import choices_for
from reviewers.review.masking.spoken import mask_flags
from reviewers.review.models import Flag
from reviewers.review.page_findings import FindingRow, findings_of
from reviewers.review.page_groups import Group, groups_of
from reviewers.review.plans.blinding import without_checks, without_evidence
from reviewers.review.plans.visibility import sees_work
from reviewers.review.redacting.shown import Gone, redaction_of, redactions_of
from reviewers.review.source_notes import source_layers, source_notes
from reviewers.review.source_rows import USUAL, Extent, Known


@dataclass(frozen=True, slots=True)
class SectionState:
    """How complete a section was, and whether it was withheld."""

    name: str
    share: float | None
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """What an item's page shows of the frozen turn and its attribution.

    In a blind review there is no ``digest``: the record has the markers, and the few ways to set them could be tried.
    """

    title: str
    turn: str
    facts: Sequence[tuple[str, str]]
    answered_at: datetime
    frozen_at: datetime
    digest: str
    profile: str
    is_calibrated: bool
    calibration: words.Badge
    source: str
    source_words: str
    instruction: str
    sections: Sequence[SectionState]
    threshold: float | None
    user_text: str
    paragraphs: Sequence[Paragraph]
    findings: Sequence[FindingRow]
    groups: Sequence[Group]
    grounding: Grounding | None
    redactions: Sequence[Gone] = ()
    holds: Sequence[Held] = ()
    message_redacted: Redacted | None = None
    answer_redacted: Redacted | None = None
    can_reveal: Sequence[tuple[str, str]] = ()

    @property
    def contradicted(self) -> int:
        """So many found rows that nobody has judged have another value in the answer than in the record."""
        return sum(row.is_used and bool(row.contradiction) and not row.verdict for group in self.groups for row in group.rows)


def build_contents(item: Item, flags: Sequence[Flag] = (), extent: Extent = USUAL) -> Contents:
    """Everything the page shows, the unfound rows apart."""
    snapshot, attribution = item.row.snapshot, item.shown.attribution
    flags = mask_flags([flag for flag in flags if sees_work(item.viewer, item.standing, flag.reviewer_id)], item.hidden)
    if item.is_blind:
        attribution = without_evidence(attribution)
    documents = documents_shown(item)
    placed, grounding = _grounding(item, documents, flags, extent)
    return Contents(
        title=item.names.title,
        turn=f"turn {snapshot.turn_index}" if snapshot.turn_index is not None else "",
        facts=[(name, value) for name, value in _facts(item) if value],
        answered_at=snapshot.answered_at,
        frozen_at=snapshot.frozen_at,
        digest="" if item.is_blind else "sha256:" + bytes(snapshot.digest).hex(),
        profile=attribution.profile,
        is_calibrated=attribution.is_calibrated,
        calibration=words.BLIND_BADGE if item.is_blind else _calibration(item, is_calibrated=attribution.is_calibrated),
        source=attribution.source.value,
        source_words=_source_in_words(attribution) if not item.is_blind else "",
        instruction=_instruction(snapshot.instruction_reported, is_on=snapshot.instruction_switch),
        sections=_sections(item),
        threshold=snapshot.completeness_threshold,
        user_text=str(item.record.get("user_text") or ""),
        paragraphs=lay_out(attribution, source_layers(documents) if documents else (), placed),
        findings=findings_of(attribution, flags),
        groups=groups_of(item),
        grounding=grounding,
        redactions=redactions_of(item),
        holds=item.holds,
        message_redacted=redaction_of(item, "user_text"),
        answer_redacted=redaction_of(item, "response"),
        can_reveal=choices_for(item.hidden),
    )


def documents_shown(item: Item) -> DocumentAttribution | None:
    """What is said of the answer's documents, as far as whoever asked may know."""
    return without_checks(item.documents) if item.documents and item.is_blind else item.documents


def _grounding(
    item: Item, documents: DocumentAttribution | None, flags: Sequence[Flag], extent: Extent
) -> tuple[Sequence[Placed], Grounding | None]:
    """The footnotes of sources with what they show, and the rest of what is shown of documents."""
    if documents is None:
        return (), None
    placed = source_notes(documents, item.shown.numbers, None if item.is_blind else len(item.attribution.markers))
    known = Known(judged_by_place(item.citations, judging_of(item, documents)), {} if item.is_blind else words_of_found(item.search))
    grounding, shown = build_grounding(documents, item.shown.numbers, placed, known, extent)
    return shown, with_flags(grounding, documents.issues, len(item.attribution.guardrails), flags)


def _calibration(item: Item, *, is_calibrated: bool) -> words.Badge:
    return calibration_badge(item.row, is_calibrated=is_calibrated, is_suspended=item.is_suspended)


def _facts(item: Item) -> list[tuple[str, str]]:
    snapshot = item.row.snapshot
    return [
        ("client", item.names.client),
        ("model", snapshot.model),
        ("prompt", snapshot.prompt_version),
        ("schema", snapshot.schema_version),
    ]


def _source_in_words(attribution: Attribution) -> str:
    cited = sum(row.is_cited for row in attribution.used)
    found = sum(row.evidence is not None for row in attribution.used)
    return f"{words.SOURCES[attribution.source.value]}: {cited} cited, {found} found"


def _instruction(reported: bool | None, *, is_on: bool) -> str:  # noqa: FBT001 — three states as the runtime reports them
    if reported is None:
        return f"switched {'on' if is_on else 'off'}; not known if it was sent"
    return "on" if reported else "off"


def _sections(item: Item) -> list[SectionState]:
    snapshot = item.row.snapshot
    hidden = set(snapshot.hidden_sections)
    names = dict.fromkeys([*snapshot.completeness, *snapshot.hidden_sections])
    return [SectionState(name, snapshot.completeness.get(name), name in hidden) for name in names]
