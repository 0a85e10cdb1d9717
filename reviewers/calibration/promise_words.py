"""Cut-offs and promises of profiles in words, as their records have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reviewers.review.words import Badge

_ONES = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def cutoff_of(record: Mapping[str, Any]) -> float | None:
    """The cut-off that labels chose; profiles of earlier days have none."""
    cutoff = record["thresholds"].get("confidence")
    return None if cutoff is None else float(cutoff)


def cutoff_in_words(record: Mapping[str, Any]) -> str:
    """The cut-off, and how it was chosen."""
    cutoff, chosen = cutoff_of(record), record["evaluation"].get("cutoff")
    if cutoff is None or chosen is None:
        return ""
    if not chosen["changed"]:
        return f"Its cut-off is {cutoff:.2f}: no other is better by more than one standard error."
    gained = f"F1 is better by {chosen['gain']:.3f} ± {chosen['error']:.3f} than at {chosen['present']:.2f}"
    return f"Its cut-off is {cutoff:.2f}: {gained}, on five parts of the conversations."


def promise_in_words(record: Mapping[str, Any]) -> str:
    """What is promised, or what is missing to promise it; nothing of profiles that say neither."""
    certificate = _first(record)
    if certificate is None:
        return ""
    if certificate["cutoff"] is None:
        return _lacking(certificate)
    counted = f"{certificate['labels']} audit labels, one of each answer, {_wrong(certificate['errors'])}"
    return f"{_claim(certificate)} at a cut-off of {certificate['cutoff']:.2f}: {counted}."


def promises_compared(before: Mapping[str, Any] | None, after: Mapping[str, Any], name: str) -> tuple[Badge, str] | None:
    """What becomes of a promise of the profile ``name`` if another takes its place; nothing where neither promises anything."""
    old, new = _first(before) if before else None, _first(after)
    had, has = old is not None and old["cutoff"] is not None, new is not None and new["cutoff"] is not None
    if old is not None and had and has and new is not None:
        return _badge("Promise kept", "good", "check"), _kept(old, new, name)
    if old is not None and had:
        said = f"{name} promises: {_lower(_claim(old))} at a cut-off of {old['cutoff']:.2f}. This profile does not."
        return _badge("Promise withdrawn", "warn", "differs"), f"{said} {promise_in_words(after)}".strip()
    return (_badge("New promise", "good", "check"), promise_in_words(after)) if has else None


def _kept(old: Mapping[str, Any], new: Mapping[str, Any], name: str) -> str:
    if old["cutoff"] == new["cutoff"]:
        return f"{_claim(new)} at a cut-off of {new['cutoff']:.2f}, as {name} promises."
    return f"{_claim(new)} at a cut-off of {new['cutoff']:.2f}; {name} promises it at {old['cutoff']:.2f}."


def _lacking(certificate: Mapping[str, Any]) -> str:
    claim, missing = _lower(_claim(certificate)), certificate.get("missing")
    if not missing or not missing["labels"]:
        more = missing["more"] if missing else 0
        return f"Cannot be promised yet: that {claim}. It needs {more} audit labels without an error, one of each answer; there are none."
    there = f"{missing['labels']} {_labels(missing['labels'])}, {_wrong(missing['errors'])}"
    return (
        f"Cannot be promised yet: that {claim}. At a cut-off of {missing['cutoff']:.2f} there are {there}; "
        f"it needs {missing['more']} more {_labels(missing['more'])} without an error."
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


def _labels(count: int) -> str:
    return "audit label" if count == 1 else "audit labels"


def _badge(text: str, tone: str, icon: str) -> Badge:
    return Badge(text, text, tone, icon)
