"""The words of calibration pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attribution.calibration import Verdict
from reviewers.review import wording
from reviewers.review.masking.masks import mask_path
from reviewers.review.wording import Badge

METHODS: Mapping[str, str] = wording.METHODS | {"none": "Not found"}

UNCALIBRATED = Badge("Uncalibrated combination", "warn", "unsure", "No active profile: figures are raw scores, not probabilities.")

CALIBRATED = Badge("Calibrated", "good", "check", "A profile is active: figures of new answers are confidences, learned from labels.")

VERDICTS: Mapping[str, Badge] = {
    Verdict.CANNOT_TELL.value: Badge("Cannot tell yet", "unsure", "unsure", "There are too few labels, or all of one kind."),
    Verdict.NOT_REJECTED.value: Badge("Calibrated, as far as the labels can tell", "good", "check", "Cox’s test does not reject it."),
    Verdict.REJECTED.value: Badge("Not calibrated", "bad", "cross", "Cox’s test rejects it at 5%."),
}

DEPTHS: Mapping[str, str] = {"method_only": "rules only, as there are fewer than 200 labels", "full": "rules, types and fields"}


def combination_in_words(model: str, prompt_version: str) -> str:
    """Return a combination, such as ``caremate-4 · match v18``."""
    return f"{model or 'no model given'} · {prompt_version or 'no prompt given'}"


def rule_in_words(rule: str) -> str:
    """Return a rule such as ``enum.whole_word`` as ``Enum, whole word``, and say if its score is capped."""
    name, _, ambiguous = rule.partition(" ")
    method, _, way = name.partition(".")
    said = f"{METHODS.get(method, method)}, {wording.rule_in_words(way)}" if way != "none" else METHODS.get(method, method)
    return f"{said}, capped" if ambiguous else said


def place_in_words(path: Sequence[str], *, masks_keys: bool) -> str:
    """Return the last part of a path: a rule, a type of field, or a field. ``masks_keys`` masks keys that are data."""
    if len(path) == 1:
        return rule_in_words(path[0])
    return path[-1].replace("_", " ") if len(path) == 2 else (mask_path(path[-1]) if masks_keys else path[-1])


def counted_in_words(counted: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of nodes from the rule down, such as ``14 labels on this field, 212 on this rule; 12 of 14 right``."""
    last = counted[-1]
    said = [f"{last['labels']} {_labels(last['labels'])} on {_this(len(counted))}"]
    said += [f"{each['labels']} on {place}" for each, place in zip(counted[:-1], ("this rule", "this type"), strict=False)][::-1]
    return f"{', '.join(said)}; {last['right']} of {last['labels']} right"


def _this(depth: int) -> str:
    return ("this rule", "this type of field", "this field")[depth - 1]


def _labels(count: int) -> str:
    return "label" if count == 1 else "labels"


_ONES = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def cutoff_of(record: Mapping[str, Any]) -> float | None:
    """Return the cut-off that labels chose; None for older profiles."""
    cutoff = record["thresholds"].get("confidence")
    return None if cutoff is None else float(cutoff)


THRESHOLDS = {
    "summary_share": "Share of a long text’s words from which it counts as found",
    "summary_cap": "Score at most of a long text found by its words",
    "common_word_cap": "Score at most of a common word, with nothing near it that tells which field is meant",
    "tokens_per_marker": "Words to a marker below which an answer is over-cited",
}
"""The thresholds that can be put into a profile."""


def threshold_written(name: str, value: float) -> str:
    """Return a threshold as pages write it."""
    if name == "tokens_per_marker":
        return f"{value:.0f}"
    exact = f"{value:.4f}".rstrip("0")
    return exact if len(exact) > len("0.00") else f"{value:.2f}"


def thresholds_in_words(own: Mapping[str, float], shipped: Callable[[str], float]) -> list[str]:
    """Return a sentence for each threshold of a profile that is not the shipped one."""
    return [
        f"{THRESHOLDS[name]}: {threshold_written(name, value)} instead of {threshold_written(name, shipped(name))}."
        for name, value in own.items()
    ]


def cutoff_in_words(record: Mapping[str, Any]) -> str:
    """Return the cut-off and how it was chosen."""
    cutoff, chosen = cutoff_of(record), record["evaluation"].get("cutoff")
    if cutoff is None or chosen is None:
        return ""
    if not chosen["changed"]:
        return f"Its cut-off is {cutoff:.2f}: no other is better by more than one standard error."
    gained = f"F1 is better by {chosen['gain']:.3f} ± {chosen['error']:.3f} than at {chosen['present']:.2f}"
    return f"Its cut-off is {cutoff:.2f}: {gained}, on five parts of the conversations."


def guarantee_in_words(record: Mapping[str, Any]) -> str:
    """Return the guarantee, or what is missing for one; an empty string for profiles without either."""
    certificate = _first(record)
    if certificate is None:
        return ""
    if certificate["cutoff"] is None:
        return _lacking(certificate)
    counted = f"{certificate['labels']} audit labels, one of each answer, {_wrong(certificate['errors'])}"
    return f"{_claim(certificate)} at a cut-off of {certificate['cutoff']:.2f}: {counted}."


def compare_guarantees(before: Mapping[str, Any] | None, after: Mapping[str, Any], name: str) -> tuple[Badge, str] | None:
    """Return what becomes of the guarantee of the profile ``name`` if another replaces it; None if neither has one."""
    old, new = _first(before) if before else None, _first(after)
    had, has = old is not None and old["cutoff"] is not None, new is not None and new["cutoff"] is not None
    if old is not None and had and has and new is not None:
        return Badge("Promise kept", "good", "check"), _kept(old, new, name)
    if old is not None and had:
        said = f"{name} promises: {_lower(_claim(old))} at a cut-off of {old['cutoff']:.2f}. This profile does not."
        return Badge("Promise withdrawn", "warn", "differs"), f"{said} {guarantee_in_words(after)}".strip()
    return (Badge("New promise", "good", "check"), guarantee_in_words(after)) if has else None


def _kept(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> str:
    if old["cutoff"] == new["cutoff"]:
        return f"{_claim(new)} at a cut-off of {new['cutoff']:.2f}, as {name} promises."
    return f"{_claim(new)} at a cut-off of {new['cutoff']:.2f}; {name} promises it at {old['cutoff']:.2f}."


def _lacking(certificate: Mapping[str, Any]) -> str:
    claim, missing = _lower(_claim(certificate)), certificate.get("missing")
    if not missing or not missing["labels"]:
        more = missing["more"] if missing else 0
        return f"Cannot be promised yet: that {claim}. It needs {more} audit labels without an error, one of each answer; there are none."
    there = f"{missing['labels']} {_labels_in_words(missing['labels'])}, {_wrong(missing['errors'])}"
    return (
        f"Cannot be promised yet: that {claim}. At a cut-off of {missing['cutoff']:.2f} there are {there}; "
        f"it needs {missing['more']} more {_labels_in_words(missing['more'])} without an error."
    )


def _first(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = next(iter(record["certificates"]), None)
    return found


def _claim(certificate: Mapping[str, Any]) -> str:
    return f"Precision is at least {certificate['precision']:.2f} with {1 - certificate['risk']:.0%} confidence"


def _lower(said: str) -> str:
    return said[0].lower() + said[1:]


def _wrong(errors: int) -> str:
    return f"{_ONES.get(errors, str(errors))} wrong"


def _labels_in_words(count: int) -> str:
    return "audit label" if count == 1 else "audit labels"
