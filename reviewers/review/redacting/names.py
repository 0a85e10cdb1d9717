"""The names of parts of an item, and what they are in words. A name says where something stood, and nothing of what it was."""

from __future__ import annotations

from collections.abc import Iterable

from reviewers.snapshots.cutting import REFERENCES, REST

NOTE, CITATION_NOTE, REMARK, SKIP = "note", "citation_note", "remark", "skip"
DECISION, REOPENING, OPENING, GROUND, SEARCH = "decision", "reopening", "opening", "ground", "search"

_WORDS = {
    "user_text": "the user’s message",
    "response": "the answer",
    **REFERENCES,
    REST: "what else was sent with it",
    REMARK: "a remark",
    SKIP: "why it was skipped",
    DECISION: "the reason of a decision",
    REOPENING: "why it was reopened",
    OPENING: "why it was opened",
    GROUND: "the reason of a redaction",
    SEARCH: "the words of a search",
}


def kind_of(name: str) -> str:
    """What a part is, by its name."""
    return name.partition(".")[0]


def in_words(names: Iterable[str]) -> list[str]:
    """Names as words, as they can be told to everybody who may read the item: of notes only that they are some."""
    return list(dict.fromkeys(_in_words(name) for name in names))


def _in_words(name: str) -> str:
    kind, _, rest = name.partition(".")
    if kind in ("documents", "tool_calls"):
        return f"{'document' if kind == 'documents' else 'what a tool gave,'} {int(rest) + 1}"
    return f"the field {rest}" if kind == "context" else _WORDS.get(kind, "a note")
