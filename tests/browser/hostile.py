"""Records as somebody would write them who wishes a page ill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONG_WORD = "a" * 300
LONG_NAME = ("<script>alert(1)</script>" + LONG_WORD)[:200]
HOSTILE: Mapping[str, Any] = {
    **dict.fromkeys(("conversation_id", "client_reference", "model", "prompt_version", "schema_version"), LONG_NAME),
    "user_text": f"<img src=x onerror=alert(1)> {LONG_WORD}\u202e\u0000 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334",
    "response": f"# {LONG_WORD}\n\n{LONG_WORD} [[SF:{LONG_WORD}]] elevated\u200b [[SF:risk_level]]. ```{LONG_WORD}```\n\n" + "| x " * 200,
    "context": {
        "safety": {"risk_level": "elevated", LONG_WORD: LONG_WORD, "list": [LONG_WORD] * 30},
        f"s{LONG_WORD}": {"<i>deep</i>": {"er": {LONG_WORD: "elevated"}}},
    },
}

HOSTILE_FIELDS: Mapping[str, Any] = {
    "a" * 51: {"type": "enum", "label": LONG_WORD[:100], "values": [{"value": LONG_NAME[:110], "phrases": [LONG_WORD[:110]] * 9}]},
    **{f"field_{number}": {"synonyms": ["one more"] * 9, "unit": "minutes"} for number in range(20)},
}
"""The fields of a schema, long and many."""

HOSTILE_RULES = "".join(
    [
        f"{'a' * 60}.{'b' * 60}.{'c' * 60}.example, 1, {LONG_WORD[:290]}\n",
        f"<img src=x onerror=alert> {LONG_WORD[:150]}, unknown, <script>alert(1)</script>\n",
        *[f"host{number}.example, {number % 4 + 1}, one more\n" for number in range(30)],
    ]
)
"""The rules of a table of trust, long and many."""
