"""The rows of the evidence table, grouped by method, and the explanation of their confidences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attribution import Attribution, Estimate, FieldAttribution, Marker, MarkerStatus
from reviewers.ledger.queries import Redacted
from reviewers.review import wording
from reviewers.review.adjudication.decisions import ShownDecision, decision_in_words
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import AnyLabel, FieldKey
from reviewers.review.models import QueueItem
from reviewers.review.redaction.queries import redaction_of_field, redaction_of_note
from reviewers.review.visibility import HIDDEN
from reviewers.review.wording import Badge, value_in_words
from reviewers.snapshots import hooks
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.field_labels import label_of
from reviewers.snapshots.queries import TransferredCounts, read_cutoff, read_transferred_counts

CALIBRATED = Badge(
    "Confidence from labels",
    "accent",
    "many",
    "Figures are confidences, learned from reviewers’ labels. How well they hold is on the page of the profile.",
)
UNCALIBRATED = Badge(
    "Not calibrated: raw scores",
    "warn",
    "unsure",
    "No profile is active for this model, prompt, schema and engine. The figures are raw scores, not probabilities.",
)
FROM_BEFORE = Badge(
    "Scores, from before calibration",
    "warn",
    "unsure",
    "This answer was attributed before a profile was active for its combination. The figures are raw scores, not probabilities.",
)

SUSPENDED = Badge(
    "Profile suspended: scores",
    "bad",
    "pause",
    "What was learned for this model, prompt and schema is not believed for now. Until a lead has looked, the figures are raw scores.",
)

_PLACES = ("this rule", "this type of field", "this field")


_OF_SCORES = {
    hooks.ProfileStatus.NONE: UNCALIBRATED,
    hooks.ProfileStatus.ACTIVE: FROM_BEFORE,
    hooks.ProfileStatus.SUSPENDED: SUSPENDED,
}


def calibration_badge(row: QueueItem, *, is_calibrated: bool, is_suspended: bool) -> Badge:
    """Return the badge that says what the figures of an answer are. It queries the database only if they are scores."""
    if is_calibrated:
        return CALIBRATED
    if is_suspended:
        return SUSPENDED
    snapshot = row.snapshot
    names = hooks.Combination(snapshot.model, snapshot.prompt_version, snapshot.schema_version)
    return _OF_SCORES[hooks.profile_status(row.organisation_id, names)]


def cutoff_of(attribution: Attribution) -> float | None:
    """Return the cut-off of the profile, or None if the figures are scores."""
    return read_cutoff(attribution.profile) if attribution.is_calibrated else None


def carried_of(attribution: Attribution) -> TransferredCounts | None:
    """Return the counts of the profile that this one was transferred from, or None if its counts are its own."""
    return read_transferred_counts(attribution.profile) if attribution.is_calibrated else None


def explain_carried(carried: TransferredCounts, rule: str) -> str:
    """Return where transferred counts come from, and by how much and from how many labels they were shifted."""
    moved = f"{carried.shift_of(rule):+.2f}".replace("-", "−")
    return f"carried over from {carried.profile}, of another combination, by a shift of {moved} log odds from {carried.labels} labels here"


def explain(estimate: Estimate, carried: TransferredCounts | None = None) -> str:
    """Return the labels that a confidence rests on in words, as in ``14 labels on this field, 212 on this rule; 12 of 14 right``."""
    last = estimate.counted[-1]
    nearest_first = list(zip(estimate.counted, _PLACES, strict=False))[::-1]
    counts = [f"{each.labels} on {place}" for each, place in nearest_first]
    counts[0] = counts[0].replace(" on ", " labels on " if last.labels != 1 else " label on ", 1)
    said = f"{', '.join(counts)}; {last.right} of {last.labels} right"
    return f"{said}, {explain_carried(carried, estimate.counted[0].node)}" if carried else said


# The rows of the evidence table.


_LONGEST_VALUE = 600
_SHORT_VALUE = 240

TraceLine = tuple[str, str, str]
"""Term, sentence and tone of a line that explains a row."""

Change = tuple[AnyLabel, str]
"""A label that was replaced after submission, and why."""

OtherLabel = tuple[str, str, str]
"""Name, verdict in words and note of another reviewer."""


@dataclass(frozen=True, slots=True)
class ShownLabel:
    """The label of a field or a citation as its row shows it. Without a verdict ``verdict`` and its words are empty.

    ``is_flagged`` is true if it has an open flag.
    """

    verdict: str = ""
    words: str = ""
    tone: str = ""
    note: str = ""
    changes: Sequence[Change] = ()
    others: Sequence[OtherLabel] = ()
    decided: ShownDecision | None = None
    is_flagged: bool = False


def shown_label(item: ReviewItem, key: FieldKey | CitationKey) -> ShownLabel:
    """Return the label of a field or a citation in the review that the viewer sees, with what others say of it."""
    label, changes = item.label_on(key), item.changes.get(key, ())
    given = label if label and label.is_verdict else None
    others = [(each.name, str(other.verdict.label), other.note) for each in item.others if (other := each.label_on(key))]
    return ShownLabel(
        verdict=given.verdict.value if given else "",
        words=str(given.verdict.label) if given else "",
        tone=wording.VERDICT_TONES[given.verdict.value] if given else "",
        note=label.note if label else "",
        changes=changes,
        others=others,
        decided=decision_in_words(item.decided.get(key)),
        is_flagged=key in item.flagged,
    )


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One row of the evidence table: a field with its attribution and its labels.

    ``is_placed`` is True if its footnote is in the answer.
    """

    number: int
    label: str
    path: str
    value: str
    value_rest: str
    type: str
    rule: str
    track: str
    track_words: str
    confidence: float
    footnote: int | None
    place: str
    is_placed: bool
    is_used: bool
    is_hidden: bool
    is_ambiguous: bool
    trace: Sequence[TraceLine]
    contradiction: str
    mentioned: str
    given: ShownLabel
    is_planted: bool = False
    redacted: Redacted | None = None
    note_redacted: Redacted | None = None
    bounds: tuple[float, float] | None = None
    is_below: bool = False

    @property
    def type_in_words(self) -> str:
        """The kind of its value, in the words of the groups of rows."""
        return wording.METHODS.get(self.type, self.type).lower()


def build_row(item: ReviewItem, number: int) -> FieldRow:
    """Return the row of one field."""
    return RowBuilder(item).build(number, item.shown.attribution.fields[number])


def unfound_rows(item: ReviewItem) -> list[FieldRow]:
    """Return the rows of fields that are not shown as used, on which a reviewer reports a miss.

    Fields that the answer contradicts come first, then those whose value it mentions without asserting it, unless the reviewer may not
    know which these are.
    """
    builder = RowBuilder(item)
    rows = [builder.build(number, row) for number, row in enumerate(item.shown.attribution.fields) if not item.claims(row)]
    return sorted(rows, key=lambda row: (not row.contradiction, not row.mentioned))


class RowBuilder:
    """Builds rows of one item, and loads what they share once."""

    def __init__(self, item: ReviewItem) -> None:
        self._item = item
        self._cutoff = None if item.is_blind else cutoff_of(item.attribution)
        self._carried = None if item.is_blind else carried_of(item.attribution)
        self._text = item.shown.attribution.clean_text
        self._citations = {each.footnote: each for each in item.shown.attribution.markers if each.status is MarkerStatus.RESOLVED}

    def build(self, number: int, row: FieldAttribution) -> FieldRow:
        """Return the row of a field, without what a blind reviewer may not know."""
        built = self._build(number, row)
        if self._item.is_blind:
            return replace(built, **{**HIDDEN, "rule": "" if built.is_used else built.rule})
        return replace(built, rule=wording.PLANTED.lower(), is_planted=True) if built.is_used and not row.is_used else built

    def _build(self, number: int, row: FieldAttribution) -> FieldRow:
        key = field_key(row)
        given = shown_label(self._item, key)
        value = value_in_words(row.field.value)
        marker = self._citations.get(row.footnote)
        is_placed = marker is not None and marker.position is not None
        return FieldRow(
            number=number,
            label=label_of(row.field),
            path=_full_path(row),
            value=value[:_SHORT_VALUE],
            value_rest=value[_SHORT_VALUE:_LONGEST_VALUE] + ("…" if len(value) > _LONGEST_VALUE else ""),
            type=row.field.type.value,
            rule=_rule_in_words(row),
            track=row.track.value,
            track_words=wording.TRACKS[row.track.value],
            confidence=row.confidence,
            footnote=row.footnote,
            place=_place(number, row, is_placed=is_placed),
            is_placed=is_placed,
            is_used=self._item.claims(row),
            is_hidden=row.field.is_hidden,
            is_ambiguous=row.evidence is not None and row.evidence.is_ambiguous,
            trace=list(self._trace(row)),
            contradiction=row.contradiction.stated if row.contradiction else "",
            mentioned=_mentioned_in_words(row),
            given=given,
            redacted=redaction_of_field(self._item, row.field.section, row.field.path),
            note_redacted=None if given.note else redaction_of_note(self._item, key),
            bounds=(row.estimate.low, row.estimate.high) if row.estimate else None,
            is_below=self._is_below(row),
        )

    def _is_below(self, row: FieldAttribution) -> bool:
        return self._cutoff is not None and row.estimate is not None and row.confidence < self._cutoff

    def _trace(self, row: FieldAttribution) -> Iterator[TraceLine]:
        marker = self._citations.get(row.footnote)
        if row.is_cited and marker is not None:
            claim = self._text[slice(*marker.claim)] if marker.claim else ""
            yield "Cited", _cited_in_words(marker, claim), ""
        if row.evidence:
            yield "Found", row.evidence.trace, ""
        elif row.is_cited:
            yield "Not found", "its value is not visible in the answer; a paraphrase may still draw on it", "warn"
        if row.mentioned and not row.contradiction:
            yield "Mentioned", row.mentioned.trace, "unsure"
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


def _full_path(row: FieldAttribution) -> str:
    """Return the section and the path of a field, the dots of its last key as they are written there."""
    leaf = row.field.leaf
    parents = row.field.path.removesuffix(leaf.replace("\\", "\\\\").replace(".", "\\."))
    return f"{row.field.section} · {parents}{leaf}"


def _cited_in_words(marker: Marker, claim: str) -> str:
    """Return how the model cites a field, and the words of the answer that it is for."""
    if marker.is_beside:
        return f"{marker.text}, beside the text, for ‘{claim}’" if claim else f"{marker.text}, beside the text, for no words of it"
    return f"{marker.text} follows ‘{claim}’" if claim else f"{marker.text} follows no words"


def _place(number: int, row: FieldAttribution, *, is_placed: bool) -> str:
    """Return the anchor of a row in the answer: its first span, else its footnote, else the answer."""
    if row.spans or (row.contradiction and row.contradiction.spans):
        return f"ev-{number}"
    return f"fn-{row.footnote}" if is_placed else "answered"


def _mentioned_in_words(row: FieldAttribution) -> str:
    """Return how the answer mentions a value that it does not assert; empty if it does not, or the row says more."""
    if row.mentioned is None or row.is_used or row.contradiction:
        return ""
    return wording.ASSERTIONS.get(row.mentioned.assertion, row.mentioned.assertion.replace("_", " "))


def _rule_in_words(row: FieldAttribution) -> str:
    if not row.is_used:
        return "withheld from the prompt" if row.field.is_hidden else "not found"
    if row.evidence and row.evidence.elements:
        return f"{row.evidence.elements_found} of {row.evidence.elements} elements"
    if row.evidence and row.evidence.is_ambiguous:
        return "common word (score limited)"
    return wording.rule_in_words(row.evidence.rule if row.evidence else row.rule)


# Groups of rows.


@dataclass(frozen=True, slots=True)
class MethodRows:
    """The rows of one method."""

    title: str
    note: str
    rows: Sequence[FieldRow]


MOST_ROWS = 500
"""The most rows that a page draws at first: a record of 170 KB can have ten times as many, which are 16 MB of page."""


def groups_of(item: ReviewItem, most: int = MOST_ROWS) -> list[MethodRows]:
    """Return up to ``most`` of the found rows by method, each group by falling confidence.

    In a blind review they form one group in the order of the record.
    """
    builder = RowBuilder(item)
    claimed = _first_of(item, most)
    if item.is_blind:
        return [MethodRows(*wording.BLIND_GROUP, [builder.build(number, row) for number, row in claimed])] if claimed else []
    by_method: dict[str, list[tuple[int, FieldAttribution]]] = {}
    for number, row in claimed:
        by_method.setdefault(row.method if row.is_used else wording.PLANTED, []).append((number, row))
    order = [*wording.METHODS, *sorted(by_method.keys() - wording.METHODS.keys())]
    return [
        MethodRows(
            wording.METHODS.get(method, method),
            wording.METHOD_NOTES.get(method, ""),
            [builder.build(number, row) for number, row in sorted(by_method[method], key=_surest_first)],
        )
        for method in order
        if method in by_method
    ]


def found_in(item: ReviewItem) -> list[tuple[int, FieldAttribution]]:
    """Return the found rows of an item with their numbers, in the order of the record."""
    return [(number, row) for number, row in enumerate(item.shown.attribution.fields) if item.claims(row)]


def _first_of(item: ReviewItem, most: int) -> list[tuple[int, FieldAttribution]]:
    """Return the found rows in the order of the record; of too many those without a verdict, and of these the contradicted ones first."""
    claimed = found_in(item)
    if len(claimed) <= most:
        return claimed
    labelled = {key for key, label in item.current.items() if label.is_verdict}

    def rank(numbered: tuple[int, FieldAttribution]) -> tuple[bool, bool, float]:
        _, row = numbered
        is_labelled = field_key(row) in labelled
        return (is_labelled, False, 0) if item.is_blind else (is_labelled, row.contradiction is None, -row.confidence)

    return sorted(sorted(claimed, key=rank)[:most], key=lambda numbered: numbered[0])


def _surest_first(numbered: tuple[int, FieldAttribution]) -> tuple[float, int, int]:
    """Sort by falling confidence, then by footnote, then by place in the context."""
    number, row = numbered
    return -row.confidence, row.footnote or 0, number
