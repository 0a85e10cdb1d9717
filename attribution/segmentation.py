"""Where clauses and sentences end."""

from __future__ import annotations

import re

_FULL_STOP = (
    r"(?<=[.!?])(?=[\s\"'”’)\]*]|\Z)"
    r"(?<!\b[DMJS]r\.)(?<!\bM[rs]s\.)(?<!\b[MS][st]\.)(?<!\bProf\.)(?<!\bvs\.)(?<!\bapprox\.)(?<!\b[A-Z]\.)(?<!\b[ei]\.[ge]\.)"
)
"""Behind a full stop that ends something: not the one of a title, an initial, a short form or a decimal."""

_SENTENCE_END = re.compile(rf"[.!?\n](?:(?<=\n)|{_FULL_STOP})")
_CLAUSE_END = re.compile(rf"[.!?,:;\n—–-](?:(?<=[;\n—])|(?<=[,:])(?=\s)|(?<=\s[–-])(?=\s)|{_FULL_STOP})")


def sentence_ends(text: str) -> list[int]:
    """The offsets behind each sentence."""
    return [match.end() for match in _SENTENCE_END.finditer(text)]


def clause_ends(text: str) -> list[int]:
    """The offsets behind each clause: at sentence ends, semicolons, colons, commas and dashes."""
    return [match.end() for match in _CLAUSE_END.finditer(text)]
