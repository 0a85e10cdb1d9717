"""How one confidence of a profile came about: from where its rule starts down to the labels on the field itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.calibration import Interval, wilson
from reviewers.calibration import words
from reviewers.calibration.models import CalibrationProfile
from reviewers.calibration.node_rows import NodeRow, nodes_of
from reviewers.calibration.shadowing import record_of
from reviewers.review.confidence_words import explain_carried
from reviewers.snapshots.stored_profiles import Carried, carried_by


@dataclass(frozen=True, slots=True)
class Step:
    """A number on the way, and why it is that."""

    value: float
    because: str


@dataclass(frozen=True, slots=True)
class NodePage:
    """A node, the nodes above and below it. ``right`` is the share of its own labels with Wilson's interval."""

    profile: CalibrationProfile
    title: str
    node: NodeRow
    explanation: str
    carried: str
    right: Interval
    steps: Sequence[Step]
    above: Sequence[NodeRow]
    below: Sequence[NodeRow]


def build_node(profile: CalibrationProfile, number: int) -> NodePage | None:
    """The node of a number; nothing if there is none."""
    record = record_of(profile)
    nodes, raw = nodes_of(record), record["calibrator"]["nodes"]
    if number >= len(nodes):
        return None
    path = raw[number]["path"]
    chain = [each for each in range(len(raw)) if raw[each]["path"] == path[: len(raw[each]["path"])]]
    below = [nodes[each] for each in range(len(raw)) if len(raw[each]["path"]) == len(path) + 1 and raw[each]["path"][:-1] == path]
    node, carried = nodes[number], carried_by(record)
    return NodePage(
        profile=profile,
        title=", ".join(words.place_in_words(path[:depth]) for depth in range(1, len(path) + 1)),
        node=node,
        explanation=words.counted_in_words([raw[each] for each in chain]),
        carried=explain_carried(carried, path[0]) if carried else "",
        right=wilson(node.right, node.labels),
        steps=_steps_of([raw[each] for each in chain], carried),
        above=[nodes[each] for each in chain if each != number],
        below=sorted(below, key=lambda each: -each.labels),
    )


def _steps_of(chain: Sequence[Mapping[str, Any]], carried: Carried | None) -> list[Step]:
    """On the way to a number that was taken over the numbers are those of before, and the last step is the shift."""
    if carried is None:
        return _steps(chain)
    moved = [dict(node) | {"confidence": _shifted(node["confidence"], -carried.shift_of(chain[0]["path"][0]))} for node in chain]
    return [*_steps(moved), Step(chain[-1]["confidence"], explain_carried(carried, chain[0]["path"][0]))]


def _shifted(confidence: float, by: float) -> float:
    odds = math.exp(by) * confidence / (1 - confidence) if confidence < 1 else math.inf
    return odds / (1 + odds) if odds < math.inf else 1.0


def _steps(chain: Sequence[Mapping[str, Any]]) -> list[Step]:
    first, last = chain[0], chain[-1]
    steps = [Step(first["prior"], f"where the rule starts, before any label; it counts as {first['worth']:.0f} labels")]
    for node, place in zip(chain[:-1], ("on this rule", "on this type of field"), strict=False):
        steps.append(Step(node["confidence"], f"after {node['labels']} labels {place}, {node['right']} right"))
    place = ("on this rule", "on this type of field", "on this field")[len(chain) - 1]
    expectation = "" if len(chain) == 1 else f"; what relatives lead to expect, {last['prior']:.2f}, counts as {last['worth']:.0f} labels"
    return [*steps, Step(last["confidence"], f"after {last['labels']} labels {place}, {last['right']} right{expectation}")]
