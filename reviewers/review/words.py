"""The engine's codes in words for reviewers. One place, so that page, exports and reports say the same."""

from __future__ import annotations

METHODS = {
    "citation": "Citation",
    "enum": "Enum",
    "numeric": "Number",
    "date": "Date",
    "time": "Time",
    "money": "Money",
    "duration": "Duration",
    "name": "Name",
    "identifier": "Identifier",
    "boolean": "Yes or no",
    "list": "List",
    "field_value": "Value",
    "question": "Question",
    "summary": "Long text",
}
"""Methods of matching, in the order in which the review page groups its rows."""

METHOD_NOTES = {"citation": "the answer says it used these"}

RULES = {
    "cited_and_found": "marker",
    "cited_only": "marker",
    "whole_word": "whole word",
    "separated_words": "words apart",
    "inflected": "inflected",
    "whole_number": "whole number",
    "with_unit": "number with its unit",
    "in_words": "number in words",
    "percentage": "as a percentage",
    "amount": "amount of money",
    "content_words": "share of its words",
    "stated": "stated",
    "denied": "denied",
    "answered": "answered yes or no",
    "full_date": "full date",
    "month_and_day": "month and day",
    "day_first": "day first",
    "weekday": "weekday",
    "relative_day": "relative day",
    "clock_time": "clock time",
    "open_half_day": "time, half of day open",
    "range": "money range",
    "one_end": "one end of the range",
    "plain_number": "amount without currency",
    "same_unit": "same unit",
    "full_name": "full name",
    "without_credentials": "name without credentials",
    "title_and_surname": "title and surname",
    "same_digits": "same digits",
    "local_digits": "local digits",
    "whole_code": "whole code",
    "whole_phrase": "whole phrase",
}

TRACKS = {"cited_and_found": "cited + found", "cited_only": "cited only", "found_only": "found only", "neither": "neither"}

SOURCES = {"citation": "Citation", "heuristic": "Heuristic", "mixed": "Mixed", "none": "None"}

GUARDRAILS = {
    "contradicted": "Contradicted",
    "unknown": "Unknown citation",
    "absent": "Absent field cited",
    "hidden": "Hidden section cited",
    "ambiguous": "Ambiguous citation",
    "echoed": "Echoed marker",
    "quoted": "Quoted marker",
    "malformed": "Malformed marker",
    "duplicate": "Cited twice",
    "over_cited": "Over-cited",
}

GUARDRAIL_TONES = {
    "contradicted": "bad",
    "over_cited": "warn",
    "hidden": "warn",
    "absent": "warn",
    "ambiguous": "warn",
    "duplicate": "quiet",
}
"""The rest is unsure. A tone is always beside the word."""

VERDICT_TONES = {"correct": "good", "wrong": "bad", "misstated": "warn", "cannot_judge": "unsure"}


def rule_in_words(rule: str) -> str:
    """A rule's name for reviewers; one that has none yet is shown as it is called."""
    return RULES.get(rule, rule.replace("_", " "))
