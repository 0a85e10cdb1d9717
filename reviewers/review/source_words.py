"""What was found of citations of documents, in words for reviewers."""

from __future__ import annotations

from reviewers.review.words import Badge

ISSUES = {
    "unknown_source": "Unknown source",
    "unknown_chunk": "Unknown passage",
    "ambiguous": "Ambiguous source",
    "out_of_range": "No such document",
    "duplicate": "Cited twice",
    "missing": "Citation missing",
    "malformed": "Malformed citation",
    "echoed": "Echoed citation",
    "misplaced": "Misplaced citation",
    "mislabelled": "Listed otherwise",
    "listed_not_cited": "Listed, not cited",
    "cited_not_listed": "Cited, not listed",
    "claim_not_found": "Claim not in the answer",
    "quote_missing": "Quote missing",
    "read_in_part": "Read in part",
    "quote_not_found": "Quote not found",
    "span_outside": "Place outside the source",
    "span_differs": "Other words at its place",
    "figure_not_found": "Figure not in the source",
    "name_not_found": "Name not in the source",
}

_ISSUE_TONES = {
    **dict.fromkeys(("figure_not_found", "quote_not_found", "span_differs", "span_outside"), "bad"),
    **dict.fromkeys(
        ("name_not_found", "out_of_range", "unknown_source", "unknown_chunk", "missing", "quote_missing", "read_in_part"), "warn"
    ),
    **dict.fromkeys(("duplicate", "listed_not_cited", "cited_not_listed"), "quiet"),
}
"""The rest is unsure. A tone is always beside the word."""

_ISSUE_ICONS = {**dict.fromkeys(("figure_not_found", "quote_not_found", "span_differs"), "clash"), "duplicate": "many"}

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
}

VALIDITIES = {"green": "Green", "yellow": "Yellow", "red": "Red"}
ANSWERS = {"withheld": "Answer withheld", "repaired": "Repaired"}
"""What an answer can be filtered by besides, in the words of its page."""

_LEVELS = {
    "high": ("Trust high", "good", "check"),
    "medium": ("Trust medium", "accent", "check"),
    "low": ("Trust low", "warn", "unsure"),
    "unverified": ("Trust unverified", "quiet", "none"),
}

KINDS = {"document": "document", "web": "web search", "file": "file", "api": "answer of a service", "mcp": "tool", "other": "tool"}


def issue_badge(code: str) -> Badge:
    """Something wrong with a citation."""
    title = ISSUES.get(code, code.replace("_", " "))
    return Badge(title, title, _ISSUE_TONES.get(code, "unsure"), _ISSUE_ICONS.get(code, "dropped"))


def quote_badge(rule: str, *, is_verified: bool) -> Badge:
    """What became of a quote."""
    title = _QUOTES.get(rule, rule.replace("_", " "))
    return Badge(title, title, "good" if is_verified else "bad", "check" if is_verified else "clash")


def validity_badge(colour: str) -> Badge:
    """How well an answer is covered by citations: the colour is said, not only shown."""
    title, tone, icon = _COLOURS[colour]
    return Badge(title, title, tone, icon)


def trust_badge(level: str, score: float | None) -> Badge:
    """Trust in an answer. The figure is cut and not rounded: 0.847 is not high, and must not be shown as the 0.85 that is."""
    title, tone, icon = _LEVELS[level]
    return Badge(title if score is None else f"{title}, {f'{score:.4f}'[:-2]}", title, tone, icon)
