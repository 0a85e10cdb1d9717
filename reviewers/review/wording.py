"""The engine's codes in words, read from ``words.json``. Pages, exports and reports read this module, so they use the same words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from attribution import CitableSource, SourceTrust

_READ: Mapping[str, dict[str, str]] = json.loads(Path(__file__).with_name("words.json").read_bytes())

METHODS = _READ["methods"]
"""Methods of matching, in the order in which the review page groups its rows."""

PLANTED = "Attention check"
BLIND_GROUP = ("Reported as used", "in the order of the record")
"""Title and note above all fields of a blind review."""

METHOD_NOTES = {"citation": "the answer says it used these"}

RULES = _READ["rules"]

ASSERTIONS = {
    "negated": "denied",
    "corrected": "taken back",
    "other_subject": "said of others or in general",
    "hypothetical": "only if …",
    "historical": "said of the past",
    "asked": "asked, not stated",
    "quoted": "quoted, not stated",
    "possible": "said to be possible",
}
"""Assertions of a value that an answer mentions without asserting it."""

TRACKS = {"cited_and_found": "cited + found", "cited_only": "cited only", "found_only": "found only", "neither": "neither"}

SOURCES = {"citation": "Citation", "heuristic": "Heuristic", "mixed": "Mixed", "none": "None"}

GUARDRAILS = _READ["guardrails"]

GUARDRAIL_TONES = _READ["guardrail_tones"]
"""Tones of guardrails; the others are unsure. A tone is always shown with words."""

GUARDRAIL_ICONS = {"contradicted": "clash", "over_cited": "many", "read_in_part": "many", "language_not_read": "many"}
"""Icons of guardrails; others have the one for a dropped citation."""

SOURCE_TONES = {"none": "quiet", "heuristic": "unsure", "citation": "accent", "mixed": "accent"}

VERDICT_TONES = {
    "correct": "good",
    "wrong": "bad",
    "misstated": "warn",
    "supports": "good",
    "does_not_say": "bad",
    "contradicts": "bad",
    "cannot_judge": "unsure",
    "unsupported": "bad",
    "supported": "good",
}
"""Tones of verdicts on fields, citations and claims."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A few words with their tone and icon. ``detail`` says more than the words, or the same without a count."""

    text: str
    tone: str
    icon: str
    detail: str = ""

    @property
    def title(self) -> str:
        """The detail, or the words of a badge without one."""
        return self.detail or self.text


BLIND_BADGE = Badge("Blind", "unsure", "lock")
"""Takes the place of what the engine says in a blind review."""


def guardrail_badge(code: str, count: int) -> Badge:
    """Return the badge of a guardrail, with the number of its findings.

    Over-citation and reading in part apply to the answer as a whole, so they have no number.
    """
    title = GUARDRAILS.get(code, code)
    text = f"{count} × {title}" if count > 1 and code not in ("over_cited", "read_in_part") else title
    return Badge(text, GUARDRAIL_TONES.get(code, "unsure"), GUARDRAIL_ICONS.get(code, "dropped"), title)


def below_badge(count: int) -> Badge:
    """Return the badge for found fields whose confidence lies below the cut-off of the profile."""
    title = "Low confidence"
    return Badge(f"{count} × {title}" if count > 1 else title, "warn", "unsure", title)


def source_badge(source: str) -> Badge:
    """Return the badge for where the footnotes of an answer come from."""
    title = SOURCES.get(source, source)
    return Badge(title, SOURCE_TONES.get(source, "unsure"), source)


def rule_in_words(rule: str) -> str:
    """Return a rule's name in words. A rule without words is shown by its code."""
    return RULES.get(rule, rule.replace("_", " "))


# Values of a record.


_as_json = json.JSONEncoder(ensure_ascii=False).encode


def turn_in_words(index: int | None) -> str:
    """Return a turn's place in its conversation, or an empty string if it has none."""
    return "" if index is None else f"turn {index}"


def source_title(source: CitableSource) -> str:
    """Return the title of a source, or the best substitute for it."""
    return source.title or source.path or source.uri or source.source_id or source.id


def value_in_words(value: Any) -> str:
    """Return a frozen value as text: lists by their elements, values without a plain form as JSON."""
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


# Citations of documents.


ISSUES = _READ["issues"]

_ISSUE_TONES = _READ["issue_tones"]
"""Tones of citation issues; the others are unsure. A tone is always shown with words."""

_ISSUE_ICONS = {**dict.fromkeys(("figure_not_found", "opposite", "quote_not_found", "span_differs"), "clash"), "duplicate": "many"}

_QUOTES = {
    "exact": "Quote found, word for word",
    "cut": "Quote found, begun inside a word",
    "slip": "Quote found, but for a slip of spelling",
    "ellipsis": "Quote found, with words left out",
    "altered_figure": "Quote altered: another figure",
    "altered_negation": "Quote altered: a negation added or dropped",
    "altered_name": "Quote altered: another name",
    "altered_word": "Quote altered: another word",
    "absent": "Quote not found",
    "empty": "Quote without words",
}

_COLOURS = {
    "green": ("Validity green", "good", "check"),
    "yellow": ("Validity yellow", "warn", "unsure"),
    "red": ("Validity red", "bad", "cross"),
    "nothing_to_cite": ("Nothing to cite", "quiet", "none"),
}

VALIDITIES = {"green": "Green", "yellow": "Yellow", "red": "Red", "nothing_to_cite": "Nothing to cite"}
ANSWERS = {"withheld": "Not sent", "repaired": "Sources added later"}
"""Further filters of answers, in the words of the review page."""

_LEVELS = {
    "high": ("Trust high", "good", "check"),
    "medium": ("Trust medium", "accent", "check"),
    "low": ("Trust low", "warn", "unsure"),
    "unverified": ("Trust unverified", "quiet", "none"),
}

NOT_SENT = Badge("Not sent", "quiet", "pause")
"""Takes the place of the validity of an answer that was withheld: it reached nobody, so what it cites is no fault."""

KINDS = {"document": "document", "web": "web search", "file": "file", "api": "answer of a service", "mcp": "tool", "other": "tool"}


def issue_badge(code: str) -> Badge:
    """Return the badge of a citation issue."""
    title = ISSUES.get(code, code.replace("_", " "))
    return Badge(title, _ISSUE_TONES.get(code, "unsure"), _ISSUE_ICONS.get(code, "dropped"))


def quote_badge(rule: str, *, is_verified: bool) -> Badge:
    """Return the badge for how a quote compares with its source."""
    title = _QUOTES.get(rule, rule.replace("_", " "))
    return Badge(title, "good" if is_verified else "bad", "check" if is_verified else "clash")


def validity_badge(colour: str) -> Badge:
    """Return the badge for how well an answer is covered by citations. It names the colour, so that it does not depend on it."""
    title, tone, icon = _COLOURS[colour]
    return Badge(title, tone, icon)


def level_of_trust(trust: SourceTrust) -> str:
    """Return the level of a source."""
    return f"tier {trust.tier}, {trust.name}" if trust.tier else "tier unknown"


def origin_of_trust(trust: SourceTrust, whose: str = "your") -> str:
    """Return the table that the level of a source comes from."""
    if trust.table:
        return f"{whose} organisation’s table, {trust.table}"
    return "built in" if trust.tier else "in no table"


def trust_badge(level: str, score: float | None) -> Badge:
    """Return the badge for the trust in an answer.

    The figure is cut and not rounded: 0.847 is not high, so it must not be shown as 0.85, which is.
    """
    title, tone, icon = _LEVELS[level]
    return Badge(title if score is None else f"{title}, {f'{score:.4f}'[:-2]}", tone, icon, title)
