"""The engine's codes in words for reviewers. One place, so that page, exports and reports say the same."""

from __future__ import annotations

from dataclasses import dataclass

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

PLANTED = "Seeded"
BLIND_GROUP = ("Said to be used", "in the order of the record")
"""What stands above rows that were seeded, and above all rows of a blind review: title, and note."""

METHOD_NOTES = {"citation": "the answer says it used these"}

RULES = {
    "cited_and_found": "marker",
    "cited_only": "marker",
    "whole_word": "whole word",
    "separated_words": "words apart",
    "inflected": "inflected",
    "written_otherwise": "written another way",
    "known_phrase": "known phrase for it",
    "whole_number": "whole number",
    "with_unit": "number with its unit",
    "in_words": "number in words",
    "party": "number of people",
    "rate": "how often",
    "nothing": "none, in words",
    "ordinal": "place in an order",
    "percentage": "as a percentage",
    "amount": "amount of money",
    "content_words": "share of its words",
    "close_paraphrase": "closely in other words",
    "paraphrase": "in other words",
    "loose_paraphrase": "loosely in other words",
    "same_topic": "speaks of the same",
    "stated": "stated",
    "denied": "denied",
    "answered": "answered yes or no",
    "replied": "reply to the user’s question",
    "full_date": "full date",
    "month_and_day": "month and day",
    "day_first": "day first",
    "weekday": "weekday",
    "relative_day": "relative day",
    "unchecked_day": "relative day, message's day unknown",
    "weekday_and_day": "weekday and day",
    "day_of_month": "day of the month",
    "clock_time": "clock time",
    "open_half_day": "time, half of day open",
    "time_range": "from when to when",
    "part_of_day": "part of the day",
    "range": "money range",
    "one_end": "one end of the range",
    "plain_number": "amount without currency",
    "same_unit": "same unit",
    "same_quantity": "same quantity",
    "full_name": "full name",
    "without_credentials": "name without credentials",
    "title_and_surname": "title and surname",
    "initial_and_surname": "initial and surname",
    "reordered": "name in another order",
    "short_form": "short form of the name",
    "given_name": "given name alone",
    "address": "address in other words",
    "house_and_street": "house and street",
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
    "read_in_part": "Read in part",
}

GUARDRAIL_TONES = {
    "contradicted": "bad",
    "over_cited": "warn",
    "read_in_part": "warn",
    "hidden": "warn",
    "absent": "warn",
    "ambiguous": "warn",
    "duplicate": "quiet",
}
"""The rest is unsure. A tone is always beside the word."""

GUARDRAIL_ICONS = {"contradicted": "clash", "over_cited": "many", "read_in_part": "many"}
"""The rest are of citations that were dropped."""

SOURCE_TONES = {"none": "quiet", "heuristic": "unsure", "citation": "accent", "mixed": "accent"}

VERDICT_TONES = {"correct": "good", "wrong": "bad", "misstated": "warn", "cannot_judge": "unsure"}

CITATION_VERDICT_TONES = {"supports": "good", "does_not_support": "bad", "cannot_judge": "unsure"}


@dataclass(frozen=True, slots=True)
class Badge:
    """A few words with their tone and icon. ``title`` are the words without how often."""

    text: str
    title: str
    tone: str
    icon: str


BLIND_BADGE = Badge("Blind", "Blind", "unsure", "lock")
"""What stands where somebody may not know yet what the engine says."""


def guardrail_badge(code: str, count: int) -> Badge:
    """A guardrail and how often it found something; that an answer cites too much, or was read in part, is said once."""
    title = GUARDRAILS.get(code, code)
    text = f"{count} × {title}" if count > 1 and code not in ("over_cited", "read_in_part") else title
    return Badge(text, title, GUARDRAIL_TONES.get(code, "unsure"), GUARDRAIL_ICONS.get(code, "dropped"))


def source_badge(source: str) -> Badge:
    """Where the footnotes of an answer come from."""
    title = SOURCES.get(source, source)
    return Badge(title, title, SOURCE_TONES.get(source, "unsure"), source)


def rule_in_words(rule: str) -> str:
    """A rule's name for reviewers; one that has none yet is shown as it is called."""
    return RULES.get(rule, rule.replace("_", " "))
