"""Details of a profile: how one confidence came about, and the answers that a profile changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from attribution.calibration import Interval, wilson
from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from, name_instead
from reviewers.calibration import wording
from reviewers.calibration.models import CalibrationProfile, Comparison
from reviewers.calibration.shadow import newest_comparison, record_of
from reviewers.review.masking.masks import mask_path
from reviewers.review.models import QueueItem
from reviewers.review.page.rows import explain_carried
from reviewers.review.visibility import hides_engine_from, viewer_of
from reviewers.snapshots.queries import TransferredCounts, carried_by
from reviewers.web.models import unpack

FEW = 5
"""A node with fewer labels relies mostly on its relatives."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of the table: its place in the tree, its counts, and its confidence with the interval."""

    number: int
    depth: int
    name: str
    right: int
    labels: int
    prior: float
    worth: float
    confidence: float
    low: float
    high: float


def nodes_of(record: Mapping[str, Any], *, masks_keys: bool) -> list[NodeRow]:
    """Return the nodes of a record, numbered in the order of their paths."""
    return [
        NodeRow(
            number=number,
            depth=len(node["path"]),
            name=wording.place_in_words(node["path"], masks_keys=masks_keys),
            **{name: node[name] for name in ("right", "labels", "prior", "worth", "confidence", "low", "high")},
        )
        for number, node in enumerate(record["calibrator"]["nodes"])
    ]


@dataclass(frozen=True, slots=True)
class ConfidenceStep:
    """A number on the way to a confidence, and its reason."""

    value: float
    because: str


@dataclass(frozen=True, slots=True)
class NodePage:
    """A node with the nodes above and below it. ``right`` is the share of its own labels with Wilson's interval."""

    profile: CalibrationProfile
    title: str
    node: NodeRow
    explanation: str
    carried: str
    right: Interval
    steps: Sequence[ConfidenceStep]
    above: Sequence[NodeRow]
    below: Sequence[NodeRow]


def build_node(profile: CalibrationProfile, number: int, *, masks_keys: bool) -> NodePage | None:
    """Return the page of a node by number, or None if there is none."""
    record = record_of(profile)
    nodes, raw = nodes_of(record, masks_keys=masks_keys), record["calibrator"]["nodes"]
    if number >= len(nodes):
        return None
    path = raw[number]["path"]
    chain = [each for each in range(len(raw)) if raw[each]["path"] == path[: len(raw[each]["path"])]]
    below = [nodes[each] for each in range(len(raw)) if len(raw[each]["path"]) == len(path) + 1 and raw[each]["path"][:-1] == path]
    node, carried = nodes[number], carried_by(record)
    return NodePage(
        profile=profile,
        title=", ".join(wording.place_in_words(path[:depth], masks_keys=masks_keys) for depth in range(1, len(path) + 1)),
        node=node,
        explanation=wording.counted_in_words([raw[each] for each in chain]),
        carried=explain_carried(carried, path[0]) if carried else "",
        right=wilson(node.right, node.labels),
        steps=_steps_of([raw[each] for each in chain], carried),
        above=[nodes[each] for each in chain if each != number],
        below=sorted(below, key=lambda each: -each.labels),
    )


def _steps_of(chain: Sequence[Mapping[str, Any]], carried: TransferredCounts | None) -> list[ConfidenceStep]:
    """Return the steps from the rule to the node. A transferred profile's use the earlier numbers, and the last one is the shift."""
    if carried is None:
        return _steps(chain)
    moved = [dict(node) | {"confidence": _shifted(node["confidence"], -carried.shift_of(chain[0]["path"][0]))} for node in chain]
    return [*_steps(moved), ConfidenceStep(chain[-1]["confidence"], explain_carried(carried, chain[0]["path"][0]))]


def _shifted(confidence: float, by: float) -> float:
    odds = math.exp(by) * confidence / (1 - confidence) if confidence < 1 else math.inf
    return odds / (1 + odds) if odds < math.inf else 1.0


def _steps(chain: Sequence[Mapping[str, Any]]) -> list[ConfidenceStep]:
    first, last = chain[0], chain[-1]
    steps = [ConfidenceStep(first["prior"], f"where the rule starts, before any label; it counts as {first['worth']:.0f} labels")]
    for node, place in zip(chain[:-1], ("on this rule", "on this type of field"), strict=False):
        steps.append(ConfidenceStep(node["confidence"], f"after {node['labels']} labels {place}, {node['right']} right"))
    place = ("on this rule", "on this type of field", "on this field")[len(chain) - 1]
    expectation = "" if len(chain) == 1 else f"; what relatives lead to expect, {last['prior']:.2f}, counts as {last['worth']:.0f} labels"
    return [*steps, ConfidenceStep(last["confidence"], f"after {last['labels']} labels {place}, {last['right']} right{expectation}")]


# Changes: the answers to look at before a profile is approved.

PAGE_SIZE = 50


def changes_of(comparison: Comparison) -> list[list[Any]]:
    """Return the rows that cross a threshold: message, rule, type, field, and the confidence before and after."""
    read: list[list[Any]] = unpack(comparison.changes)
    return read


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A row of an answer, with its number before and after."""

    item_id: UUID
    answer: str
    rule: str
    field: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """A page of the changes that the viewer may know. ``is_part`` is True if answers that they review blind are left out."""

    profile: CalibrationProfile
    key: str
    method: str
    rows: Sequence[ChangeRow]
    count: int
    is_part: bool
    number: int
    earlier: int
    later: int


def build_changes(profile: CalibrationProfile, by: Membership, method: str, asked: str) -> ChangesPage:
    """Return page ``asked``, counted from 1, of the changes of a method or of all."""
    comparison = newest_comparison(profile)
    found = changes_of(comparison) if comparison else []
    wanted = [each for each in found if not method or each[1].partition(".")[0] == method]
    viewer_hides = hides_engine_from(viewer_of(by))
    names = _names(by, {each[0] for each in wanted}, viewer_hides)
    wanted = [each for each in wanted if each[0] in names]
    number = min(max(int(asked) if asked.isdecimal() and len(asked) < 9 else 1, 1), max(1, -(-len(wanted) // PAGE_SIZE)))
    part = wanted[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return ChangesPage(
        profile=profile,
        key=method,
        method=wording.METHODS.get(method, method),
        rows=list(_rows(part, names, masks_keys=by.is_external)),
        count=len(wanted),
        is_part=QueueItem.objects.filter(viewer_hides, organisation=by.organisation_id).exists(),
        number=number,
        earlier=number - 1,
        later=number + 1 if number * PAGE_SIZE < len(wanted) else 0,
    )


def _names(by: Membership, messages: Iterable[str], hidden: Q) -> Mapping[str, str]:
    """Return the names of those answers whose attribution the member may see."""
    own = QueueItem.objects.filter(organisation=by.organisation_id, pk__in=list(messages)).exclude(hidden)
    names = own.values_list("pk", "snapshot__conversation_id", "snapshot__external_id")
    is_masked = Text.REFERENCES in hidden_from(by, Surface.CHANGES)
    return {str(pk): name_instead(pk) if is_masked else conversation or external for pk, conversation, external in names}


def _rows(part: Iterable[Sequence[Any]], names: Mapping[str, str], *, masks_keys: bool) -> Iterable[ChangeRow]:
    tell = mask_path if masks_keys else str
    for message, rule, _, field, before, after in part:
        yield ChangeRow(UUID(message), names[message], wording.rule_in_words(rule), tell(field), before, after)
