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
    *(". ", ", ", "? ", "! ", "; ", " – ", "\n", "\r\n", "\n\n", "  ", " ", "\t", "# Safety\n", "**Costs**\n", "> ", "```\n", "`", '"', "“", "”"),
    *("\u200b", "\u00ad", "\u202e", "\u0301", "\ud800", "🙂", "İ", "ß", "ﬁ", "東京", "١٤", "\0", "<b>", "é"),
)
NAMES = (
    *("risk_level", "fit_score", "phq9_score", "rank", "flags", "goals", "accepting_new", "provider_name", "phone_number", "zip", "fee"),
    *("budget_range", "signal_summary", "suggested_questions", "appointment_date", "appointment_time", "city", "isOpen", "sleep", "hours"),
    *("", ".", "a.b", "back\\slash", "Risk_Level", "__proto__", "0", "İ", "\ud800", "name" * 60),
)
VALUES = (
    *("elevated", "low", "Portland", "panic attacks", "2026-03-08", "2026-03-08T14:00:00Z", "14:00", "$81-$110", "6 weeks", "0014", "", " "),
    *("Dana Osei, LMFT", "510-555-0142", "98109", "Racing thoughts, work stress; appetite went.", "Which insurance plan covers you?"),
    *("[[SF:risk_level]]", "--", "x", "\u200b", "\ud800", "yes"),
)

pieces = st.sampled_from(PIECES)
any_text = st.text(st.characters(exclude_categories=()), max_size=12)
answers = st.lists(pieces | any_text, max_size=24).map("".join)
spaced_answers = st.lists(pieces | any_text, max_size=24).map(" ".join)

numbers = st.integers() | st.floats() | st.sampled_from((0, 1, 14, 120, 0.85, 10**70, -(10**400), float("nan"), float("inf"), 1e-9))
scalars = st.sampled_from(VALUES) | any_text | st.booleans() | numbers | st.none()
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | any_text, inner, max_size=4),
    max_leaves=12,
)
sections = st.dictionaries(st.sampled_from(NAMES) | any_text, values, max_size=6)
section_names = st.sampled_from(("client_signal", "provider_genome", "patient_context", "safety", "therapeutic_fit", "other", ""))
contexts = st.dictionaries(section_names | any_text, sections | values, max_size=5)
