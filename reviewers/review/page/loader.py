"""The review page of one item as plain values: its state for the viewer, the findings, and the frozen turn with its attribution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution import Attribution, DocumentAttribution, Finding, GuardrailCode, MarkerStatus
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Text, masked
from reviewers.ledger.queries import Redacted
from reviewers.review import wording
from reviewers.review.citation_search import post_hoc_citations_in_words
from reviewers.review.items import Reopened, ReviewItem, finding_message, finding_name
from reviewers.review.labels.claims import ShownClaim, shown_claims
from reviewers.review.labels.queries import FieldKey
from reviewers.review.legal_holds.queries import HoldInForce
from reviewers.review.masking.access import choices_for
from reviewers.review.masking.masks import mask_section
from reviewers.review.models import Flag, FlagKind, Phase, State
from reviewers.review.page.answer import FLAGGED, NO_ROW, REPORTED, Layer, Paragraph, Placed, lay_out
from reviewers.review.page.check_first import ToCheck, rows_to_check
from reviewers.review.page.documents import ShownDocuments, build_grounding, with_flags
from reviewers.review.page.rows import MethodRows, calibration_badge, found_in, groups_of
from reviewers.review.page.source_rows import CitationFacts, Extent, labelled_citations
from reviewers.review.page.sources import source_layers, source_notes
from reviewers.review.policies import may_adjudicate, may_reopen
from reviewers.review.redaction.queries import ShownRedaction, redaction_of, redactions_of
from reviewers.review.talk.flags import ShownFlag, places_to_flag, visible_flags
from reviewers.review.visibility import sees_work, without_checks, without_evidence, without_marks
from reviewers.snapshots.field_labels import label_of
from reviewers.snapshots.otlp.queries import trace_findings
from reviewers.snapshots.queries import named


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """The progress of a review.

    ``mentioned`` are unfound fields whose value the answer mentions without asserting it; ``citations`` are those that need a verdict;
    ``remaining`` are the found fields and citations without one.
    """

    found: int
    unfound: int
    mentioned: int
    citations: int
    remaining: int

    @property
    def labelled(self) -> int:
        """Return the number of found fields and citations that need a verdict and have one."""
        return self.found + self.citations - self.remaining


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The plan of an item as its page shows it. ``is_blind`` is true if the viewer reviews blind now."""

    id: str = ""
    name: str = ""
    guide: str = ""
    overlap: int = 1
    reviews: int = 0
    is_blind: bool = False
    is_conflicted: bool = False
    decided: int = 0
    can_decide: bool = False


@dataclass(frozen=True, slots=True)
class ItemState:
    """The state of an item for the viewer: its buttons, its lease and its progress."""

    id: str
    attribution_id: str
    state: str
    can_label: bool
    needs_reason: bool
    holder: str
    is_mine: bool
    minutes_left: int
    submitted_by: str
    submitted_at: datetime | None
    skipped_by: str
    skip_reason: str
    progress: ReviewProgress
    plan: ItemPlan
    can_reopen: bool = False
    reopened: Reopened | None = None


def build_state(item: ReviewItem, *, by: Membership, now: datetime) -> ItemState:
    """Return the state of the item for the member."""
    row, status, review = item.row, item.review_status, item.own_review
    is_told = sees_work(item.viewer, status, row.skipped_by_id)
    own = None if item.is_submitted else status.hold_of(by.user_id, now)
    holder = None if item.is_submitted else own or status.in_the_way(by.user_id, now)
    is_theirs_to_change = not item.is_submitted or item.own_review is not None
    return ItemState(
        id=str(item.id),
        attribution_id=str(row.attribution_id),
        state=State.SUBMITTED if item.is_submitted else row.state,
        can_label=may(by, Permission.LABEL_ITEMS) and (holder is None or holder is own) and is_theirs_to_change,
        needs_reason=item.is_submitted,
        holder=holder.name if holder else "",
        is_mine=own is not None,
        minutes_left=max(1, round((holder.expires_at - now).total_seconds() / 60)) if holder else 0,
        submitted_by=review.name if review else row.submitted_by.name if row.submitted_by else "",
        submitted_at=review.submitted_at if review else row.submitted_at,
        skipped_by=row.skipped_by.name if row.skipped_by else "",
        skip_reason=masked(row.skip_reason, Text.NOTES, item.hidden) if row.state == State.SKIPPED and is_told else "",
        progress=progress_of(item),
        plan=_plan_of(item, by),
        can_reopen=may(by, Permission.APPROVE_REVIEWS) and may_reopen(status),
        reopened=item.reopened,
    )


def _plan_of(item: ReviewItem, by: Membership) -> ItemPlan:
    plan, status = item.row.plan, item.review_status
    if plan is None:
        return ItemPlan()
    return ItemPlan(
        id=str(plan.pk),
        name=plan.name,
        guide=plan.guide.text if plan.guide else "",
        overlap=status.overlap,
        reviews=len(status.reviews),
        is_blind=item.is_blind,
        is_conflicted=status.phase is Phase.CONSOLIDATING,
        decided=len(item.decided),
        can_decide=may(by, Permission.APPROVE_REVIEWS) and may_adjudicate(status, by.user_id),
    )


def progress_of(item: ReviewItem) -> ReviewProgress:
    """Return the progress of the viewer's review."""
    found = sum(map(item.claims, item.attribution.fields))
    return ReviewProgress(
        found=found,
        unfound=len(item.attribution.fields) - found,
        mentioned=0 if item.is_blind else sum(row.mentioned is not None for row in item.attribution.fields if not item.claims(row)),
        citations=sum(map(item.needs_verdict, item.citations)),
        remaining=len(item.unlabelled) + len(item.unlabelled_citations),
    )


# Findings of guardrails.


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A guardrail finding. ``number`` is its place in the attribution."""

    number: int
    badge: wording.Badge
    message: str
    target: str
    flags: Sequence[ShownFlag]


def findings_of(attribution: Attribution, flags: Sequence[ShownFlag]) -> list[FindingRow]:
    """Return the findings of an attribution, each with its flags."""
    rows = {(row.field.section, row.field.path): number for number, row in enumerate(attribution.fields)}
    return [
        FindingRow(
            number=number,
            badge=wording.guardrail_badge(finding.code.value, finding.count),
            message=_message(finding, attribution),
            target=_target(finding, attribution, rows),
            flags=[flag for flag in flags if flag.finding == finding_name(finding)],
        )
        for number, finding in enumerate(attribution.guardrails)
    ]


def _message(finding: Finding, attribution: Attribution) -> str:
    """Return the message of a finding, with the markers it is about."""
    if finding.code is GuardrailCode.CONTRADICTED:
        return f"{_label_of(finding, attribution)}: {finding.message}"
    return finding_message(finding, attribution.markers)


def _label_of(finding: Finding, attribution: Attribution) -> str:
    """Return the name of a finding's field as its row has it."""
    place = (finding.section, finding.path)
    return next((label_of(row.field) for row in attribution.fields if (row.field.section, row.field.path) == place), "A field")


def _target(finding: Finding, attribution: Attribution, rows: Mapping[FieldKey, int]) -> str:
    """Return the place on the page that a finding leads to."""
    if finding.section is not None and finding.path is not None:
        return f"row-{rows[finding.section, finding.path]}"
    for order, marker in enumerate(attribution.markers):
        if marker.status.value == finding.code.value and marker.position is not None and marker.status is not MarkerStatus.MALFORMED:
            return f"marker-{order}"
    return ""


# The frozen turn and its attribution.


@dataclass(frozen=True, slots=True)
class SectionState:
    """The completeness of a section, and whether it was withheld."""

    name: str
    share: float | None
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """The frozen turn and its attribution as the page shows them.

    ``digest`` is empty in a blind review: the record contains the markers, and the few ways to place them could be tried. It is empty
    while any text is masked as well: members who revealed the rest could try guesses at what is left. It is empty, too, while the record
    ``repeats_hidden``, which is true if it may repeat another turn that the viewer reviews blind. ``has_bars`` is true if texts that the
    model was given are bars because of that.
    """

    title: str
    turn: str
    facts: Sequence[tuple[str, str]]
    answered_at: datetime
    frozen_at: datetime
    digest: str
    profile: str
    is_calibrated: bool
    calibration: wording.Badge
    source: str
    source_words: str
    instruction: str
    sections: Sequence[SectionState]
    threshold: float | None
    user_text: str
    paragraphs: Sequence[Paragraph]
    findings: Sequence[FindingRow]
    trace_findings: Sequence[str]
    groups: Sequence[MethodRows]
    found: int
    grounding: ShownDocuments | None
    redactions: Sequence[ShownRedaction] = ()
    holds: Sequence[HoldInForce] = ()
    message_redacted: Redacted | None = None
    answer_redacted: Redacted | None = None
    can_reveal: Sequence[tuple[str, str]] = ()
    check_first: Sequence[ToCheck] = ()
    repeats_hidden: bool = False
    has_bars: bool = False
    flags: Sequence[ShownFlag] = ()
    to_flag: Sequence[tuple[str, str]] = ()
    claims: Sequence[ShownClaim] = ()

    @property
    def drawn(self) -> int:
        """Return the number of found rows that the page draws."""
        return sum(len(group.rows) for group in self.groups)

    @property
    def has_flagged_words(self) -> bool:
        """True if words of the answer have an open flag."""
        return any(flag.span and not flag.resolution for flag in self.flags)

    @property
    def contradicted(self) -> int:
        """Return the number of found rows without a verdict that contradict the record."""
        return sum(row.is_used and bool(row.contradiction) and not row.given.verdict for group in self.groups for row in group.rows)


def build_contents(item: ReviewItem, put: Sequence[Flag], extent: Extent) -> Contents:
    """Return everything that the page shows, except the rows that were not found."""
    snapshot, attribution = item.row.snapshot, item.shown.attribution
    flags, claims = visible_flags(item, put), shown_claims(item)
    if item.is_blind:
        attribution = without_evidence(attribution)
    documents = documents_shown(item)
    placed, grounding = _grounding(item, documents, flags, extent)
    layers = [*(source_layers(documents) if documents else ()), *_claim_layers(claims), *_flag_layers(flags)]
    groups = groups_of(item, len(item.attribution.fields)) if extent.all_rows else groups_of(item)
    return Contents(
        title=item.names.title,
        turn=wording.turn_in_words(snapshot.turn_index),
        facts=[(name, value) for name, value in _facts(item) if value],
        answered_at=snapshot.answered_at,
        frozen_at=snapshot.frozen_at,
        digest="" if item.is_blind or item.hidden or item.repeats_hidden else named(snapshot.digest),
        profile=attribution.profile,
        is_calibrated=attribution.is_calibrated,
        calibration=wording.BLIND_BADGE if item.is_blind else _calibration(item, is_calibrated=attribution.is_calibrated),
        source=attribution.source.value,
        source_words=_source_in_words(attribution) if not item.is_blind else "",
        instruction=_instruction(snapshot.instruction_reported, is_on=snapshot.instruction_switch),
        sections=_sections(item),
        threshold=snapshot.completeness_threshold,
        user_text=str(item.record.get("user_text") or ""),
        paragraphs=lay_out(attribution, layers, placed),
        findings=findings_of(attribution, flags),
        trace_findings=trace_findings(snapshot.organisation_id, snapshot.pk, item.record),
        groups=groups,
        found=len(found_in(item)),
        grounding=grounding,
        redactions=redactions_of(item),
        holds=item.holds,
        message_redacted=redaction_of(item, "user_text"),
        answer_redacted=redaction_of(item, "response"),
        can_reveal=choices_for(item.hidden),
        check_first=rows_to_check(item, groups, grounding),
        repeats_hidden=item.repeats_hidden,
        has_bars=bool(item.barred),
        flags=[flag for flag in flags if flag.kind != FlagKind.FINDING],
        to_flag=places_to_flag(item),
        claims=claims,
    )


def _claim_layers(claims: Iterable[ShownClaim]) -> list[Layer]:
    return [(*claim.span, REPORTED, claim.number) for claim in claims if claim.span]


def _flag_layers(flags: Iterable[ShownFlag]) -> list[Layer]:
    return [(*flag.span, FLAGGED, NO_ROW) for flag in flags if flag.span and not flag.resolution]


def documents_shown(item: ReviewItem) -> DocumentAttribution | None:
    """Return the attribution to documents, without checks and traces of markers if the viewer reviews blind."""
    if item.documents is None or not item.is_blind:
        return item.documents
    return without_checks(without_marks(item.documents, item.unmarked))


def _grounding(
    item: ReviewItem, documents: DocumentAttribution | None, flags: Sequence[ShownFlag], extent: Extent
) -> tuple[Sequence[Placed], ShownDocuments | None]:
    """Return the notes of the answer with what they show, and the documents of the page."""
    if documents is None:
        return (), None
    placed = source_notes(documents, item.shown.numbers, None if item.is_blind else len(item.attribution.markers))
    known = CitationFacts(labelled_citations(item, item.citations), {} if item.is_blind else post_hoc_citations_in_words(item.search))
    grounding, shown = build_grounding(documents, item.shown.numbers, placed, known, extent)
    return shown, with_flags(grounding, documents.issues, len(item.attribution.guardrails), flags)


def _calibration(item: ReviewItem, *, is_calibrated: bool) -> wording.Badge:
    return calibration_badge(item.row, is_calibrated=is_calibrated, is_suspended=item.is_suspended)


def _facts(item: ReviewItem) -> list[tuple[str, str]]:
    snapshot = item.row.snapshot
    return [
        ("client", item.names.client),
        ("model", snapshot.model),
        ("prompt", snapshot.prompt_version),
        ("schema", snapshot.schema_version),
    ]


def _source_in_words(attribution: Attribution) -> str:
    """Return the source and the fields of each track, which add up to those that the page counts."""
    tracks = Counter(row.track.value for row in attribution.used)
    counts = [f"{tracks[track]} {words}" for track, words in wording.TRACKS.items() if tracks[track]]
    source = wording.SOURCES[attribution.source.value]
    return f"{source}: {', '.join(counts)}" if counts else source


def _instruction(reported: bool | None, *, is_on: bool) -> str:  # noqa: FBT001 — the runtime reports one of three states
    if reported is None:
        return f"switched {'on' if is_on else 'off'}; not known if it was sent"
    return "on" if reported else "off"


def _sections(item: ReviewItem) -> list[SectionState]:
    snapshot = item.row.snapshot
    hidden = set(snapshot.hidden_sections)
    names = dict.fromkeys([*snapshot.completeness, *snapshot.hidden_sections])
    return [SectionState(mask_section(name, item.hidden), snapshot.completeness.get(name), name in hidden) for name in names]
