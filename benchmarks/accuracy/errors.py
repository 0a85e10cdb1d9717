"""The worst errors of each kind, to be read one by one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

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


# The worst errors of each kind, to be read one by one.


def lines_of_errors(verdicts: Sequence[Verdict], most: int) -> Iterator[str]:
    """Each kind with its count and the worst few."""
    for title, errors in _KINDS.items():
        found = errors(verdicts)
        shown = spread(found)[:most]
        yield f"\n{title}: {len(found)}" + (f", the worst {len(shown)}" if len(found) > len(shown) else "")
        for verdict in shown:
            yield from lines_of_verdict(verdict)


def spread(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """In their order, but the second of a field and rule behind the first of all others: twenty alike would show one error only."""
    seen: Counter[tuple[str, str]] = Counter()
    turns = []
    for verdict in verdicts:
        kind = verdict.leaf, verdict.rule if verdict.is_claimed else ""
        seen[kind] += 1
        turns.append((seen[kind], verdict))
    return [verdict for _, verdict in sorted(turns, key=lambda turn: turn[0])]


def _false_claims(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The surest first."""
    return sorted([each for each in verdicts if each.is_claimed and not each.is_meant], key=lambda each: -each.confidence)


def _misses(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the misses: first where the engine says the opposite, then those whose value is in the answer as it is."""
    missed = [each for each in verdicts if each.is_meant and not each.is_claimed]
    return sorted(missed, key=lambda each: ("contradiction" not in each.row, not _stands_there(each.value, each.turn["response"])))


def _stands_there(value: Any, answer: str) -> bool:
    return isinstance(value, str) and bool(value) and value.casefold() in answer.casefold()


def _wrong_places(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The least overlap first."""
    return [each for _, each in sorted([(each.overlap, each) for each in verdicts if _is_off(each)], key=lambda pair: pair[0] or 0)]


def _is_off(verdict: Verdict) -> bool:
    return verdict.overlap is not None and verdict.overlap < 1


def _false_alarms(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Nobody has altered these answers; a few may yet say what is not so."""
    return [each for each in verdicts if "contradiction" in each.row]


_KINDS: dict[str, Callable[[Sequence[Verdict]], list[Verdict]]] = {
    "Claimed, but not meant (the surest first)": _false_claims,
    "Meant, but not found (contradicted ones and verbatim ones first)": _misses,
    "Found at other places than the label's (the least overlap first)": _wrong_places,
    "Flagged as contradicted in an answer that nobody has altered": _false_alarms,
}
