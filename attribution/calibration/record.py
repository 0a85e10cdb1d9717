"""The record of a calibration: what it learned from, how it did, what it would change, and when it may not be trusted any longer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from attribution.calibration.evaluation import rounded
from attribution.calibration.guarantee import Certificate
from attribution.calibration.observation import Observation, Scope
from attribution.calibration.tree_beta import TreeBeta
from attribution.codec import canonical_bytes, digest
from attribution.confidence import Calibration, Path

# When a calibration may not be trusted any longer: another combination, too old, or nobody looked.


@dataclass(frozen=True, slots=True)
class Staleness:
    """The rules of a profile. Ages in days; ``fewest_audit_labels`` within ``window_days``; ``alpha`` for all alarms of a year."""

    oldest_days: int = 90
    fewest_audit_labels: int = 30
    window_days: int = 30
    alpha: float = 0.05
    tolerance: float = 0.03


def reasons_to_doubt(rules: Staleness, age_days: int, audit_labels: int) -> tuple[str, ...]:
    """Return why a calibration of the right combination is stale, in words; ``audit_labels`` of the rules' window. Often none.

    No evidence of drift is no evidence that there is none. A profile younger than the window has had no time to gather labels.
    """
    reasons = []
    if age_days > rules.oldest_days:
        reasons.append(f"{age_days} days old, and {rules.oldest_days} are the most")
    if age_days >= rules.window_days and audit_labels < rules.fewest_audit_labels:
        reasons.append(f"{audit_labels} audit labels in {rules.window_days} days, and {rules.fewest_audit_labels} are the fewest")
    return tuple(reasons)


# A calibration as it stands in a profile: what it holds for, what it was learned from, what it says, what it was found to be worth.
#
# The profile that ``attribution.calibrated`` makes of a record is named by the digest of all this, so the same labels give the same
# name on every machine and in every order, and one other label another.

SCHEMA = "calibration/1"


@dataclass(frozen=True, slots=True)
class Imported:
    """A set of labels from elsewhere: where from, its own digest, and how many of its labels the fit uses."""

    source: str
    digest: str
    labels: int


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of a fit: their digest, how many there are, of how many conversations, in which streams; and those left out, why.

    ``imports`` tells of those from elsewhere, which are among them.
    """

    digest: str
    labels: int
    conversations: int
    streams: Mapping[str, int]
    excluded: tuple[tuple[str, str], ...]
    imports: tuple[Imported, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All that a calibrated profile says of its calibration. ``parent`` is the profile before; ``is_transfer`` if shifted from it.

    Then ``shift`` says by how much, and the counts in its table are those of the parent.
    ``thresholds`` stand instead of the profile's own; ``confidence`` among them is the cut-off that labels chose, and hides no row.
    ``audit`` are the labels that the certificates rest on, which nothing was learned from. What others have found (reviewers'
    agreement, baselines of drift, the shadow report) comes as JSON values.
    """

    scope: Scope
    calibrator: TreeBeta
    labels: LabelSet
    parent: str | None = None
    is_transfer: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    certificates: Sequence[Certificate] = ()
    evaluation: Mapping[str, Any] = field(default_factory=dict)
    reviewers: Mapping[str, Any] = field(default_factory=dict)
    baselines: Mapping[str, Any] = field(default_factory=dict)
    staleness: Staleness = field(default_factory=Staleness)
    shadow: Mapping[str, Any] = field(default_factory=dict)
    audit: LabelSet | None = None
    shift: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """As JSON values, in a form that is the same on every machine: numbers to six decimals, labels in the order of their names."""
        document = {
            "schema": SCHEMA,
            "kind": "transfer" if self.is_transfer else "fit",
            "scope": asdict(self.scope),
            "parent": self.parent,
            "calibrator": self.calibrator.document(),
            "labels": _label_document(self.labels),
            "thresholds": dict(self.thresholds),
            "certificates": [_certificate_document(each) for each in self.certificates],
            "evaluation": dict(self.evaluation),
            "reviewers": dict(self.reviewers),
            "baselines": dict(self.baselines),
            "staleness": asdict(self.staleness),
            "shadow": dict(self.shadow),
        }
        if self.audit is not None:
            document["audit"] = _label_document(self.audit)
        if self.shift is not None:
            document["shift"] = dict(self.shift)
        return {key: rounded(value) for key, value in document.items()}


def label_set(observations: Iterable[Observation], excluded: Mapping[str, str] | None = None, imports: Iterable[Imported] = ()) -> LabelSet:
    """The labels of a fit, whatever their order. Those nobody could judge are left out by themselves, others for the reason given.

    Raises ``ValueError`` where two labels have one name.
    """
    known = sorted(observations, key=lambda each: each.id)
    names = [each.id for each in known]
    if len(set(names)) < len(names):
        raise ValueError("two labels have one name")
    reasons = {each.id: "cannot judge" for each in known if each.is_used is None} | dict(excluded or {})
    taken = [each for each in known if each.id not in reasons]
    streams = sorted({each.stream for each in taken})
    return LabelSet(
        digest=label_digest(taken),
        labels=len(taken),
        conversations=len({each.conversation for each in taken}),
        streams={stream.value: sum(each.stream is stream for each in taken) for stream in streams},
        excluded=tuple(sorted(reasons.items())),
        imports=tuple(imports),
    )


def label_digest(observations: Iterable[Observation]) -> str:
    """A digest of labels that does not depend on their order: SHA-256 of the sorted SHA-256 of each in canonical JSON."""
    each = sorted(hashlib.sha256(canonical_bytes(rounded(asdict(one)))).hexdigest() for one in observations)
    return digest("\n".join(each).encode())


def _label_document(labels: LabelSet) -> dict[str, Any]:
    excluded = [{"label": name, "reason": reason} for name, reason in labels.excluded]
    document = {
        "digest": labels.digest,
        "labels": labels.labels,
        "conversations": labels.conversations,
        "streams": dict(labels.streams),
        "excluded": excluded,
    }
    return document | ({"imports": [asdict(each) for each in labels.imports]} if labels.imports else {})


def _certificate_document(certificate: Certificate) -> dict[str, Any]:
    proof, shortfall = certificate.proof, certificate.shortfall
    claim = {"precision": certificate.precision, "risk": certificate.risk, "cutoff": certificate.cutoff}
    if proof is not None:
        return claim | {"labels": proof.labels, "errors": proof.errors, "p_value": proof.p_value}
    return claim | ({"missing": asdict(shortfall)} if shortfall else {})


# Two profiles on one corpus, before anybody approves: which rows change, and which thresholds they cross.

TIERS = (0.5, 0.8, 0.95)
"""The thresholds that a reader of confidences sees."""


class ShadowRow(NamedTuple):
    """A row of the corpus that claims something: its message, where it is in a table, and its raw score.

    ``moved`` is place and score under the proposed profile where that reads the answer otherwise. A score that is nothing stands for a row
    that one of both does not find.
    """

    message: str
    path: Path
    score: float | None
    moved: tuple[Path, float | None] | None = None


class Change(NamedTuple):
    """A row that crosses a threshold, and its confidence under either profile. These are the rows to label: all others stay.

    A row that only one of both finds crosses one; its confidence under the other is 0.
    """

    row: ShadowRow
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ShadowReport:
    """Counts of messages and rows, in all and changed. By threshold, how many messages have a row that falls below or rises to it.

    ``by_rule`` and ``by_field`` count the rows that change.
    """

    messages: int
    rows: int
    changed_messages: int
    changed_rows: int
    fallen: Mapping[float, int]
    risen: Mapping[float, int]
    by_rule: Mapping[str, int]
    by_field: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """As JSON values, for a profile's record."""
        counts = {"messages": self.messages, "rows": self.rows}
        changed = {"changed_messages": self.changed_messages, "changed_rows": self.changed_rows}
        crossed = {
            name: {f"{tier:g}": count for tier, count in its.items()} for name, its in (("fallen", self.fallen), ("risen", self.risen))
        }
        return counts | changed | crossed | {"by_rule": dict(self.by_rule), "by_field": dict(self.by_field)}


def changes(rows: Iterable[ShadowRow], active: Calibration, proposed: Calibration, tiers: Iterable[float] = TIERS) -> Iterator[Change]:
    """The rows of a corpus that cross a threshold, in its order."""
    known = tuple(tiers)
    moves: dict[tuple[object, ...], tuple[float, float, bool]] = {}  # a corpus says the same of a field again and again
    for row in rows:
        move = moves.get(row[1:])
        if move is None:
            path, score = row.moved or (row.path, row.score)
            before, after = _confidence(active, row.path, row.score), _confidence(proposed, path, score)
            is_moved = _tier(before, known) != _tier(after, known) or (row.score is None) != (score is None)
            move = moves[row[1:]] = before, after, is_moved
        if move[2]:
            yield Change(row, move[0], move[1])


def _confidence(table: Calibration, path: Path, score: float | None) -> float:
    return 0.0 if score is None else table.confidence(path, score)


def compare(rows: Iterable[ShadowRow], active: Calibration, proposed: Calibration, tiers: Iterable[float] = TIERS) -> ShadowReport:
    """Return what would change if the proposed profile were active. The corpus is read once; of no rows nothing changes."""
    known = tuple(sorted(tiers))
    messages: set[str] = set()
    changed: set[str] = set()
    counts, by_rule, by_field = Counter[str](), Counter[str](), Counter[str]()
    crossed: dict[tuple[bool, float], set[str]] = {(falls, tier): set() for falls in (True, False) for tier in known}

    def counted() -> Iterator[ShadowRow]:
        for row in rows:
            messages.add(row.message)
            counts["rows"] += 1
            yield row

    for row, before, after in changes(counted(), active, proposed, known):
        changed.add(row.message)
        counts["changed"] += 1
        by_rule[row.path[0]] += 1
        by_field[row.path[-1]] += 1
        for tier in known:
            if min(before, after) < tier <= max(before, after):
                crossed[after < before, tier].add(row.message)
    return ShadowReport(
        messages=len(messages),
        rows=counts["rows"],
        changed_messages=len(changed),
        changed_rows=counts["changed"],
        fallen={tier: len(crossed[True, tier]) for tier in known},
        risen={tier: len(crossed[False, tier]) for tier in known},
        by_rule=dict(by_rule.most_common()),
        by_field=dict(by_field.most_common()),
    )


def _tier(confidence: float, tiers: tuple[float, ...]) -> int:
    return sum(confidence >= tier for tier in tiers)
