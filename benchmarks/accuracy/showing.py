"""A verdict as text: the field, the answer with the places marked, and what the engine says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from attribution import Span
from benchmarks.accuracy.verdicts import Verdict

_LONGEST_VALUE = 200
_LONGEST_ANSWER = 700
OURS, THEIRS = ("[", "]"), ("«", "»")
LEGEND = "[…] where the engine sees the field, «…» where the label does"


def lines_of_verdict(verdict: Verdict) -> Iterator[str]:
    """Several lines, the first with the turn and the field."""
    turn = verdict.turn
    value = json.dumps(verdict.value, ensure_ascii=False)
    yield f"  {turn['id']}  {verdict.section}.{verdict.path} = {_clipped(value, _LONGEST_VALUE)}"
    if turn.get("user_text"):
        yield f"      asked:  {_clipped(_one_line(turn['user_text']), _LONGEST_VALUE)}"
    marks = [(span, OURS) for span in verdict.spans] + [(span, THEIRS) for span in verdict.meant_spans]
    yield f"      answer: {_clipped(_one_line(marked(turn['response'], marks)), _LONGEST_ANSWER)}"
    if verdict.is_claimed:
        yield f"      {verdict.rule} {verdict.confidence:g}: {verdict.row.get('trace', '')}"
    if "contradiction" in verdict.row:
        yield f"      contradicted: {verdict.row['contradiction']['trace']}"


def marked(text: str, marks: Sequence[tuple[Span, tuple[str, str]]]) -> str:
    """The text with each span between its brackets."""
    closing = [(end, -number, pair[1]) for number, ((_, end), pair) in enumerate(marks, start=1)]
    opening = [(start, number, pair[0]) for number, ((start, _), pair) in enumerate(marks, start=1)]
    parts, done = [], 0
    for place, _, bracket in sorted(closing + opening):  # where spans touch, closed before opened; the inner of two first
        parts += [text[done:place], bracket]
        done = place
    return "".join(parts) + text[done:]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
