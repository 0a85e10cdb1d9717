"""What calibration says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attribution.calibration import Verdict
from reviewers.review import words
from reviewers.review.words import Badge

METHODS: Mapping[str, str] = words.METHODS | {"none": "Not found"}

UNCALIBRATED = Badge("Uncalibrated combination", "No active profile: figures are raw scores, not probabilities.", "warn", "unsure")

CALIBRATED = Badge("Calibrated", "A profile is active: figures of new answers are confidences, learned from labels.", "good", "check")

VERDICTS: Mapping[str, Badge] = {
    Verdict.CANNOT_TELL.value: Badge("Cannot tell yet", "There are too few labels, or all of one kind.", "unsure", "unsure"),
    Verdict.NOT_REJECTED.value: Badge("Calibrated, as far as the labels can tell", "Cox’s test does not reject it.", "good", "check"),
    Verdict.REJECTED.value: Badge("Not calibrated", "Cox’s test rejects it at 5%.", "bad", "cross"),
}

DEPTHS: Mapping[str, str] = {"method_only": "rules only, as there are fewer than 200 labels", "full": "rules, types and fields"}


def combination_in_words(model: str, prompt_version: str) -> str:
    """``caremate-4 · match v18``."""
    return f"{model or 'no model given'} · {prompt_version or 'no prompt given'}"


def rule_in_words(rule: str) -> str:
    """``enum.whole_word`` as ``Enum, whole word``; a capped score is said to be one."""
    name, _, ambiguous = rule.partition(" ")
    method, _, way = name.partition(".")
    said = f"{METHODS.get(method, method)}, {words.rule_in_words(way)}" if way != "none" else METHODS.get(method, method)
    return f"{said}, capped" if ambiguous else said


def place_in_words(path: Sequence[str]) -> str:
    """The last part of a path: a rule, a type of field, or a field."""
    if len(path) == 1:
        return rule_in_words(path[0])
    return path[-1].replace("_", " ") if len(path) == 2 else path[-1]


def counted_in_words(counted: Sequence[Mapping[str, Any]]) -> str:
    """``14 labels on this field, 212 on enum whole word; 12 of 14 right``, of nodes from the rule down."""
    last = counted[-1]
    said = [f"{last['labels']} {_labels(last['labels'])} on {_this(len(counted))}"]
    said += [f"{each['labels']} on {place}" for each, place in zip(counted[:-1], ("this rule", "this type"), strict=False)][::-1]
    return f"{', '.join(said)}; {last['right']} of {last['labels']} right"


def _this(depth: int) -> str:
    return ("this rule", "this type of field", "this field")[depth - 1]


def _labels(count: int) -> str:
    return "label" if count == 1 else "labels"
