"""Copies of turns, each with one value altered in the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from attribution import Span
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.verdicts import value_at
from benchmarks.altered.kinds import Kind, Pools, kind_of, leaf_of, source_of
from benchmarks.altered.polarity import turned_round
from benchmarks.altered.writing import choices_for, written_otherwise

_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MONEY_SIGN = re.compile(r"[$€£]\s?$")
_MONEY_WORD = re.compile(r"\s?(?:dollars|usd|euros|pounds)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Altered:
    """A turn with one value altered: whose, of what kind, and the two forms."""

    turn: Turn
    leaf: str
    kind: Kind
    recorded: Any
    before: str
    after: str

    @property
    def service(self) -> str:
        """The service that the conversation is with."""
        return source_of(self.turn).rpartition("/")[2]


def altered_copies(turns: Iterable[Turn], pools: Pools) -> Iterator[Altered]:
    """One copy for each value that an answer states: the same value of two sections is altered once."""
    for turn in turns:
        done: set[str] = set()
        for label in turn.get("gold") or ():
            leaf = leaf_of(label["path"])
            if label["referenced"] and leaf not in done:
                done.add(leaf)
                altered = _altered(turn, label, leaf, pools.get((source_of(turn), leaf), ()))
                if altered:
                    yield altered


def _altered(turn: Turn, label: Turn, leaf: str, pool: tuple[str, ...]) -> Altered | None:
    value = value_at(turn["context"], label["section"], label["path"])
    kind, answer = kind_of(value, pool), turn["response"]
    if kind is None:
        return None
    if kind is Kind.BOOLEAN:
        turned = turned_round(answer, leaf)
        return _copy(turn, leaf, kind, value, ("", ""), turned) if turned and turned != answer else None
    span = _place(label, value, answer)
    if span is None:
        return None
    kind = Kind.MONEY if kind is Kind.NUMBER and _is_money(answer, span) else kind
    written = answer[span[0] : span[1]]
    other = written_otherwise(kind, written, pool, choices_for(f"{turn['id']} {leaf}"))
    return _copy(turn, leaf, kind, value, (written, other), answer[: span[0]] + other + answer[span[1] :]) if other else None


def _copy(turn: Turn, leaf: str, kind: Kind, value: Any, forms: tuple[str, str], answer: str) -> Altered:
    return Altered({**turn, "id": f"{turn['id']} {leaf}", "response": answer}, leaf, kind, value, *forms)


def _place(label: Turn, value: Any, answer: str) -> Span | None:
    """The label's span, or the one place at which the value stands as a word."""
    if label.get("spans"):
        start, end = label["spans"][0]
        return (start, end)
    forms = [re.escape(str(value))]
    if isinstance(value, int) or str(value).isdigit():
        forms += [_UNITS[int(value)]] if int(value) < len(_UNITS) else []
    found = [match.span() for match in re.finditer(rf"(?<![\w.])(?:{'|'.join(forms)})(?![\w]|\.\d|:\d)", answer, re.IGNORECASE)]
    named = [span for span in found if not _is_count_of_results(answer, span)]
    return named[0] if len(named) == 1 else None


def _is_count_of_results(answer: str, span: Span) -> bool:
    return bool(re.search(r"\b(?:found|have|are|got|is)\s$", answer[: span[0]], re.IGNORECASE))


def _is_money(answer: str, span: Span) -> bool:
    return bool(
        re.search(r"[$€£]", answer[span[0] : span[1]]) or _MONEY_SIGN.search(answer[: span[0]]) or _MONEY_WORD.match(answer, span[1])
    )
