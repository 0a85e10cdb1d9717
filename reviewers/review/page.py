"""The review page as plain values: everything its templates show, worked out before they are drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any

from attribution import Attribution, DocumentAttribution, FieldAttribution, Finding, GuardrailCode, MarkerStatus
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.texts import Text, masked
from reviewers.ledger.redacted import Redacted
from reviewers.review import words
from reviewers.review.afterwards import words_of_found
from reviewers.review.answer_text import Paragraph, Placed, lay_out
from reviewers.review.citation_page import judged_by_place, judging_of
from reviewers.review.confidence_words import calibration_badge, carried_of, cutoff_of, explain
from reviewers.review.deciding.policies import may_adjudicate, may_reopen
from reviewers.review.deciding.showing import Decided, decided_words
from reviewers.review.given_labels import FieldKey, GivenLabel, changes_of
from reviewers.review.grounding import Grounding, build_grounding, with_flags
from reviewers.review.items import Item, Reopened, field_key, finding_name
from reviewers.review.masking.reveals import choices_for
from reviewers.review.masking.spoken import mask_flags
from reviewers.review.models import Flag, State, Verdict
from reviewers.review.plan_models import Phase
from reviewers.review.plans.blinding import HIDDEN, without_checks, without_evidence
from reviewers.review.plans.visibility import sees_work
from reviewers.review.redacting.shown import Gone, redaction_of, redaction_of_field, redaction_of_note, redactions_of
from reviewers.review.source_notes import source_layers, source_notes
from reviewers.review.source_rows import USUAL, Extent, Known

_LONGEST_VALUE = 600
_SHORT_VALUE = 240
_as_json = json.JSONEncoder(ensure_ascii=False).encode


TraceLine = tuple[str, str, str]
"""Term, sentence and tone of a line that explains a row."""

Change = tuple[GivenLabel, str]
"""A label that was replaced after submission, and why."""


Other = tuple[str, str, str]
"""What another reviewer said: name, verdict in words, note."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the evidence table."""

    number: int
    section: str
    parents: str
    leaf: str
    value: str
    value_rest: str
    type: str
    rule: str
    track: str
    track_words: str
    confidence: float
    footnote: int | None
    place: str
    is_used: bool
    is_hidden: bool
    is_ambiguous: bool
    trace: Sequence[TraceLine]
    contradiction: str
    verdict: str
    verdict_words: str
    tone: str
    note: str
    changes: Sequence[Change]
    others: Sequence[Other] = ()
    decided: Decided | None = None
    is_planted: bool = False
    redacted: Redacted | None = None
    note_redacted: Redacted | None = None
    bounds: tuple[float, float] | None = None
    is_below: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one method."""

    title: str
    note: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A guardrail finding. ``number`` is its place in the attribution."""

    number: int
    badge: words.Badge
    message: str
    target: str
    flags: Sequence[Flag]


@dataclass(frozen=True, slots=True)
class SectionState:
    """How complete a section was, and whether it was withheld."""

    name: str
    share: float | None
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is."""

    found: int
    unfound: int
    citations: int
    remaining: int

    @property
    def labelled(self) -> int:
        """Found rows and citations with a verdict, of those that need one."""
        return self.found + self.citations - self.remaining


@dataclass(frozen=True, slots=True)
class PlanState:
    """What of its plan matters on an item's page. ``is_blind`` says whether whoever looks is kept from knowing now."""

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
    """How an item stands for whoever looks at it: what its buttons, its lease and its progress show."""

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
    progress: Progress
    plan: PlanState
    can_reopen: bool = False
    reopened: Reopened | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """What an item's page shows of the frozen turn and its attribution."""

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
    message_redacted: Redacted | None = None
    answer_redacted: Redacted | None = None
    can_reveal: Sequence[tuple[str, str]] = ()


def build_state(item: Item, *, by: Membership, now: datetime) -> ItemState:
    """How the item stands."""
    row, standing, review = item.row, item.standing, item.own_review
    is_told = sees_work(item.viewer, standing, row.skipped_by_id)
    own = None if item.is_submitted else standing.hold_of(by.user_id, now)
    holder = None if item.is_submitted else own or standing.in_the_way(by.user_id, now)
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
        can_reopen=may(by, Permission.APPROVE_REVIEWS) and may_reopen(standing),
        reopened=item.reopened,
    )


def _plan_of(item: Item, by: Membership) -> PlanState:
    plan, standing = item.row.plan, item.standing
    if plan is None:
        return PlanState()
    return PlanState(
        id=str(plan.pk),
        name=plan.name,
        guide=plan.guide.text if plan.guide else "",
        overlap=standing.overlap,
        reviews=len(standing.reviews),
        is_blind=item.is_blind,
        is_conflicted=standing.phase is Phase.CONSOLIDATING,
        decided=len(item.decided),
        can_decide=may(by, Permission.APPROVE_REVIEWS) and may_adjudicate(standing, by.user_id),
    )


def _calibration(item: Item, *, is_calibrated: bool) -> words.Badge:
    return calibration_badge(item.row, is_calibrated=is_calibrated, is_suspended=item.is_suspended)


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
        digest="sha256:" + bytes(snapshot.digest).hex(),
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
        findings=_findings(attribution, flags),
        groups=_groups(item),
        grounding=grounding,
        redactions=redactions_of(item),
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
    placed = source_notes(documents, item.shown.numbers, len(item.attribution.markers))
    known = Known(judged_by_place(item.citations, judging_of(item, documents)), words_of_found(item.search))
    grounding, shown = build_grounding(documents, item.shown.numbers, placed, known, extent)
    return shown, with_flags(grounding, documents.issues, len(item.attribution.guardrails), flags)


def progress_of(item: Item) -> Progress:
    """How many rows are found and not found, how many citations need a verdict, and how many of both have none yet."""
    found = len(item.attribution.used) + len(item.planted)
    return Progress(
        found=found,
        unfound=len(item.attribution.fields) - found,
        citations=sum(each.is_due for each in item.citations),
        remaining=len(item.unlabelled) + len(item.unlabelled_citations),
    )


def build_row(item: Item, number: int) -> Row:
    """One row, as when it has just been labelled."""
    return _RowBuilder(item).build(number, item.shown.attribution.fields[number])


def unfound_rows(item: Item) -> list[Row]:
    """The rows that claim nothing: that is how misses are reported."""
    builder = _RowBuilder(item)
    return [builder.build(number, row) for number, row in enumerate(item.shown.attribution.fields) if not item.claims(row)]


def _groups(item: Item) -> list[Group]:
    """The found rows by method, in each the surest first; in a blind review all together in the order of the record."""
    builder = _RowBuilder(item)
    claimed = [(number, row) for number, row in enumerate(item.shown.attribution.fields) if item.claims(row)]
    if item.is_blind:
        return [Group(*words.BLIND_GROUP, [builder.build(number, row) for number, row in claimed])] if claimed else []
    by_method: dict[str, list[tuple[int, FieldAttribution]]] = {}
    for number, row in claimed:
        by_method.setdefault(row.method if row.is_used else words.PLANTED, []).append((number, row))
    order = [*words.METHODS, *sorted(by_method.keys() - words.METHODS.keys())]
    return [
        Group(
            words.METHODS.get(method, method),
            words.METHOD_NOTES.get(method, ""),
            [builder.build(number, row) for number, row in sorted(by_method[method], key=_surest_first)],
        )
        for method in order
        if method in by_method
    ]


def _surest_first(numbered: tuple[int, FieldAttribution]) -> tuple[float, int, int]:
    """By confidence, then in the order of the footnotes, then of the context."""
    number, row = numbered
    return -row.confidence, row.footnote or 0, number


class _RowBuilder:
    """Builds rows of one item; what they look up together is looked up once."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self._current = item.current
        self._changes = changes_of(item.labels, item.submitted_at)
        self._cutoff = None if item.is_blind else cutoff_of(item.attribution)
        self._carried = None if item.is_blind else carried_of(item.attribution)
        self._text = item.shown.attribution.clean_text
        self._citations = {each.footnote: each for each in item.shown.attribution.markers if each.status is MarkerStatus.RESOLVED}

    def build(self, number: int, row: FieldAttribution) -> Row:
        """The row, without what a blind reviewer may not know."""
        built = self._build(number, row)
        if self._item.is_blind and built.is_used:
            return replace(built, **HIDDEN)
        return replace(built, rule=words.PLANTED.lower(), is_planted=True) if built.is_used and not row.is_used else built

    def _build(self, number: int, row: FieldAttribution) -> Row:
        key = field_key(row)
        label = self._current.get(key)
        verdict = label.verdict if label else Verdict.NONE
        value = value_in_words(row.field.value)
        return Row(
            number=number,
            section=row.field.section,
            parents=_parents(row),
            leaf=row.field.leaf,
            value=value[:_SHORT_VALUE],
            value_rest=value[_SHORT_VALUE:_LONGEST_VALUE] + ("…" if len(value) > _LONGEST_VALUE else ""),
            type=row.field.type.value,
            rule=_rule_in_words(row),
            track=row.track.value,
            track_words=words.TRACKS[row.track.value],
            confidence=row.confidence,
            footnote=row.footnote,
            place=_place(number, row),
            is_used=self._item.claims(row),
            is_hidden=row.field.is_hidden,
            is_ambiguous=row.evidence is not None and row.evidence.is_ambiguous,
            trace=list(self._trace(row)),
            contradiction=row.contradiction.stated if row.contradiction else "",
            verdict=verdict.value if verdict is not Verdict.NONE else "",
            verdict_words=verdict.label if verdict is not Verdict.NONE else "",
            tone=words.VERDICT_TONES.get(verdict.value, ""),
            note=label.note if label else "",
            changes=self._changes.get(key, ()),
            others=[(each.name, each.verdict_on(key).label, each.fields[key].note) for each in self._item.others if key in each.fields],
            redacted=redaction_of_field(self._item, row.field.section, row.field.path),
            note_redacted=None if label and label.note else redaction_of_note(self._item, key),
            bounds=(row.estimate.low, row.estimate.high) if row.estimate else None,
            is_below=self._is_below(row),
            decided=decided_words(self._item.decided.get(key), Verdict),
        )

    def _is_below(self, row: FieldAttribution) -> bool:
        return self._cutoff is not None and row.estimate is not None and row.confidence < self._cutoff

    def _trace(self, row: FieldAttribution) -> Iterator[TraceLine]:
        marker = self._citations.get(row.footnote)
        if row.is_cited and marker is not None:
            claim = self._text[slice(*marker.claim)] if marker.claim else ""
            yield "Cited", f"{marker.text} stands behind ‘{claim}’" if claim else f"{marker.text}, behind no words", ""
        if row.evidence:
            yield "Found", row.evidence.trace, ""
        elif row.is_cited:
            yield "Not found", "its value is not visible in the answer; a paraphrase may still draw on it", "warn"
        if row.contradiction:
            yield "Contradicted", row.contradiction.trace, "bad"
        if row.evidence and row.evidence.is_ambiguous:
            yield "Score", f"capped from {row.evidence.uncapped_score:.2f} to {row.evidence.score:.2f}", "warn"
        if row.estimate:
            yield "Confidence", f"{explain(row.estimate, self._carried)}; the score is {row.score:.2f}", ""
            if self._is_below(row):
                yield "Cut-off", f"this row lies below the cut-off of its profile, {self._cutoff:.2f}", "warn"
        elif row.is_used and self._item.attribution.is_calibrated:
            yield "Score", f"{row.score:.2f}, no confidence: nobody has labelled this rule yet", "warn"


def _parents(row: FieldAttribution) -> str:
    """The path in front of the last key, in which dots are escaped."""
    return row.field.path.removesuffix(row.field.leaf.replace("\\", "\\\\").replace(".", "\\."))


def _place(number: int, row: FieldAttribution) -> str:
    """Where the answer shows a row: its first span, or, for a marker behind no words, the footnote; else the answer."""
    if row.spans or (row.contradiction and row.contradiction.spans):
        return f"ev-{number}"
    return f"fn-{row.footnote}" if row.footnote else "answered"


def _rule_in_words(row: FieldAttribution) -> str:
    if not row.is_used:
        return "withheld from the prompt" if row.field.is_hidden else "not found"
    if row.evidence and row.evidence.elements:
        return f"{row.evidence.elements_found} of {row.evidence.elements} elements"
    if row.evidence and row.evidence.is_ambiguous:
        return "common word, capped"
    return words.rule_in_words(row.evidence.rule if row.evidence else row.rule)


def value_in_words(value: Any) -> str:
    """A frozen value as text: lists by their elements, everything that has no plain form as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return repr(value)
    if isinstance(value, list) and value and all(isinstance(element, (str, int, float)) for element in value):
        return _elements_in_words(value)
    if value is None or value in ([], {}):
        return "empty"
    return _as_json(value)


def _elements_in_words(value: Sequence[Any]) -> str:
    try:
        return "; ".join(value)  # most lists are of texts
    except TypeError:
        return "; ".join([value_in_words(element) for element in value])


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
        return f"switch {'on' if is_on else 'off'}; the runtime did not say"
    return "on" if reported else "off"


def _sections(item: Item) -> list[SectionState]:
    snapshot = item.row.snapshot
    hidden = set(snapshot.hidden_sections)
    names = dict.fromkeys([*snapshot.completeness, *snapshot.hidden_sections])
    return [SectionState(name, snapshot.completeness.get(name), name in hidden) for name in names]


def _findings(attribution: Attribution, flags: Sequence[Flag]) -> list[FindingRow]:
    rows = {(row.field.section, row.field.path): number for number, row in enumerate(attribution.fields)}
    return [
        FindingRow(
            number=number,
            badge=words.guardrail_badge(finding.code.value, finding.count),
            message=_message(finding, attribution),
            target=_target(finding, attribution, rows),
            flags=[flag for flag in flags if flag.finding == finding_name(finding)],
        )
        for number, finding in enumerate(attribution.guardrails)
    ]


def _message(finding: Finding, attribution: Attribution) -> str:
    """What a finding says, with the markers it is about."""
    if finding.code is GuardrailCode.CONTRADICTED:
        return f"{finding.section}.{finding.path}: {finding.message}"
    texts = [marker.text for marker in attribution.markers if marker.status.value == finding.code.value]
    shown = ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
    return f"{finding.message}: {shown}" if shown else finding.message


def _target(finding: Finding, attribution: Attribution, rows: Mapping[FieldKey, int]) -> str:
    """The place on the page that a finding leads to."""
    if finding.section is not None and finding.path is not None:
        return f"row-{rows[finding.section, finding.path]}"
    for order, marker in enumerate(attribution.markers):
        if marker.status.value == finding.code.value and marker.status is not MarkerStatus.MALFORMED:
            return f"marker-{order}"
    return ""
