"""Answers and contexts of any kind: ordinary pieces, hostile pieces, any character at all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

PIECES = (
    *("[[SF:risk_level]]", " [[TF:fit_score]]", "[[CS:sleep.hours]]", "[[PG:nothing]]", "[[XX:y]]", "[[sf:FLAGS]]", "[[SF:", "[[", "]]"),
    *("[SF:risk_level]", "［［SF:flags］］", "[[SF:risk level]]", "&lsqb;", "\\[\\[", "[[[", "{{TF:rank}}"),
    *("risk level", "is", "not", "low", "elevated", "her fit is", "85%", "0.85", "1,200", "$81-$110", "14", "2 results", "PHQ-9 score: 12"),
    *("March 8th", "2026-03-08", "3/8", "2 pm", "14:00", "tomorrow", "Sunday", "six weeks", "twenty-one days", "510-555-0142", "98109"),
    *("Dr. Osei", "Dana Osei", "accepting new clients", "isn't", "if", "Which insurance plan covers you?", "no", "yes", ":", "24/7"),
    *(
        ". ",
        ", ",
        "? ",
        "! ",
        "; ",
        " – ",
        "\n",
        "\r\n",
        "\n\n",
        "  ",
        " ",
        "\t",
        "# Safety\n",
        "**Costs**\n",
        "> ",
        "```\n",
        "`",
        '"',
        "“",
        "”",
    ),
    *("\u200b", "\u00ad", "\u202e", "\u0301", "\ud800", "🙂", "İ", "ß", "ﬁ", "東京", "١٤", "\0", "<b>", "é"),
)
NAMES = (
    *("risk_level", "fit_score", "phq9_score", "rank", "flags", "goals", "accepting_new", "provider_name", "phone_number", "zip", "fee"),
    *("budget_range", "signal_summary", "suggested_questions", "appointment_date", "appointment_time", "city", "isOpen", "sleep", "hours"),
    *("", ".", "a.b", "back\\slash", "Risk_Level", "__proto__", "0", "İ", "\ud800", "name" * 60),
)
VALUES = (
    *(
        "elevated",
        "low",
        "Portland",
        "panic attacks",
        "2026-03-08",
        "2026-03-08T14:00:00Z",
        "14:00",
        "$81-$110",
        "6 weeks",
        "0014",
        "",
        " ",
    ),
    *("Dana Osei, LMFT", "510-555-0142", "98109", "Racing thoughts, work stress; appetite went.", "Which insurance plan covers you?"),
    *("[[SF:risk_level]]", "--", "x", "\u200b", "\ud800", "yes"),
)

FIELDS: tuple[tuple[str, str, Any], ...] = (
    ("safety", "risk_level", "elevated"),
    ("safety", "risk_level", "low"),
    ("safety", "flags", ["low", "14", "2 pm", "panic attack"]),
    ("therapeutic_fit", "fit_score", 0.85),
    ("therapeutic_fit", "fit_score", 0.75),
    ("therapeutic_fit", "rank", 2),
    ("therapeutic_fit", "alternatives", [{"city": "Portland", "fee": 90}, {"city": "Portland", "fee": 120}]),
    ("client_signal", "phq9_score", 14),
    ("client_signal", "length", "6 weeks"),
    ("client_signal", "sleep", {"hours": 14, "quality": "low"}),
    ("client_signal", "signal_summary", "Which plan is accepting new clients, and is her fit elevated?"),
    ("provider_genome", "accepting_new", True),
    ("provider_genome", "accepting_new", False),
    ("provider_genome", "provider_name", "Dana Osei, LMFT"),
    ("provider_genome", "phone_number", "+1 510 555 0142"),
    ("patient_context", "budget_range", "$81-$110"),
    ("patient_context", "fee", 1200),
    ("patient_context", "zip", "98109"),
    ("patient_context", "appointment_date", "2026-03-08"),
    ("patient_context", "appointment_time", "14:00"),
    ("patient_context", "appointment", "2026-03-09T12:00:00Z"),
    ("patient_context", "suggested_questions", ["Which insurance plan covers you?", "What is your fit?"]),
)

pieces = st.sampled_from(PIECES)
any_text = st.text(st.characters(exclude_categories=()), max_size=12)
answers = st.lists(pieces | any_text, max_size=24).map("".join)
spaced_answers = st.lists(pieces | pieces | any_text, min_size=12, max_size=40).map(" ".join)

numbers = st.integers() | st.floats() | st.sampled_from((0, 1, 14, 120, 0.85, 10**70, -(10**400), float("nan"), float("inf"), 1e-9))
scalars = st.sampled_from(VALUES) | any_text | st.booleans() | numbers | st.none()
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | any_text, inner, max_size=4),
    max_leaves=12,
)
sections = st.dictionaries(st.sampled_from(NAMES) | any_text, values, max_size=6)
section_names = st.sampled_from(("client_signal", "provider_genome", "patient_context", "safety", "therapeutic_fit", "other", ""))
wild_contexts = st.dictionaries(section_names | any_text, sections | values, max_size=3)


def _context(fields: list[tuple[str, str, Any]], wild: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = {}
    for section, name, value in fields:
        context.setdefault(section, {})[name] = value
    return context | wild


contexts = st.builds(_context, st.lists(st.sampled_from(FIELDS), min_size=8, max_size=20), st.just({}) | wild_contexts)
