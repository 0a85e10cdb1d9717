"""Copies of turns, each with one value altered in the answer: turned round, or another of its kind in the same form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from attribution import Span
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.verdicts import value_at
from benchmarks.altered.kinds import Kind, Pools, kind_of, leaf_of, source_of

# A yes-or-no statement turned round: a negation taken out of the clause that states it, or put into it.

_CLAUSE = re.compile(r"(?:(?! and | but )[^,.;!?])+(?: and | but )?[,.;!?]*\s*")
_WORD = re.compile(r"[a-z]+")
_SHORTEST = 2
_SAYS_LITTLE = frozenset(
    {"has", "have", "does", "are", "offers", "offer", "allows", "allowed", "serves", "service", "services", "the", "accepts"}
)

_TAKEN_OUT = (
    (re.compile(r"\b(?:non[- ]?|un)(?=refundable|furnished|available)", re.IGNORECASE), ""),
    (re.compile(r"\b(is|are|was|were|does|do|has|have|can|could|did)n['’]?t\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\bcan ?not\b", re.IGNORECASE), "can"),
    (re.compile(r"\bwon['’]t\b", re.IGNORECASE), "will"),
    (re.compile(r"\b(not|never) (?!only\b)", re.IGNORECASE), ""),
    (re.compile(r"^(\s*)no\b(?=\s*[,.;!])", re.IGNORECASE), r"\1Yes"),
    (re.compile(r"\bno (?=\w)", re.IGNORECASE), ""),
)
_PUT_IN = (
    (re.compile(r"\b(is|are|was|were|can|will|would|does|do)\b(?! not)", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(it|they|he|she|that|this)['’](s|re)\b", re.IGNORECASE), r"\1 is not"),
    (re.compile(r"\b(has|have|with)\b (?:an? |the )?", re.IGNORECASE), r"\1 no "),
    (re.compile(r"\b(offer|provide|serve|allow|accept|include|feature|perform|permit|welcome)s?\b(?! by)", re.IGNORECASE), r"does not \1"),
)
_YES = re.compile(r"^(\s*)(?:yes|yeah|yep|sure|certainly)\b", re.IGNORECASE)


def turned_round(answer: str, leaf: str) -> str | None:
    """The answer with the clause about a field turned round; nothing where no clause names it and none begins with yes or no."""
    clauses = _CLAUSE.findall(answer)
    names = {_root(word) for word in _WORD.findall(leaf.lower()) if len(word) > _SHORTEST and word not in _SAYS_LITTLE}
    about = next((number for number, each in enumerate(clauses) if names & {_root(word) for word in _WORD.findall(each.lower())}), None)
    if about is None:
        return None
    turned = _turned(clauses[about])
    if turned is None:
        return None
    before = [_reply_turned(each) for each in clauses[:about]]
    return "".join([*before, turned, *clauses[about + 1 :]])


def _root(word: str) -> str:
    return word[:5]


def _reply_turned(clause: str) -> str:
    """A yes or no before the clause turns with it."""
    if _YES.match(clause):
        return _YES.sub(r"\1No", clause)
    pattern, replacement = _TAKEN_OUT[5]
    return pattern.sub(replacement, clause)


def _turned(clause: str) -> str | None:
    for pattern, replacement in _TAKEN_OUT:
        if pattern.search(clause):
            return pattern.sub(replacement, clause, count=1)
    for pattern, replacement in _PUT_IN:
        if pattern.search(clause):
            return pattern.sub(replacement, _YES.sub(r"\1No", clause), count=1)
    return None


# Another value of the same kind in the form in which the answer writes the first one.

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_IN_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DAY = re.compile(r"(?<!\d)(0?[1-9]|[12]\d|3[01])(st|nd|rd|th)?(?!\d)(?!.*(?<!\d)\d{1,2}(st|nd|rd|th)(?!\d))", re.IGNORECASE)
_LAST_OF_ISO = re.compile(r"(?<=\d{4}-\d\d-)\d\d")
_HOUR = re.compile(r"(?<![\d:])\d{1,2}(?!\d)")
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")


def choices_for(seed: str) -> Random:
    """Return the generator that chooses: the same values in each run."""
    return Random(seed)  # noqa: S311  # nothing is secret here


def written_otherwise(kind: Kind, written: str, pool: Sequence[str], random: Random) -> str | None:
    """``written`` with another value; nothing where its form is not known."""
    other = _WRITERS[kind](written, pool, random)
    return other if other and other.casefold() != written.casefold() else None


def other_of(pool: Sequence[str], written: str, random: Random) -> str | None:
    """Another value of a pool."""
    known = " ".join(written.casefold().split())
    others = [each for each in pool if each.casefold() not in known and known not in each.casefold()]
    return random.choice(others) if others else None


def _date(written: str, _: Sequence[str], random: Random) -> str | None:
    if _LAST_OF_ISO.search(written):
        return _LAST_OF_ISO.sub(lambda day: f"{_other_number(int(day[0]), range(1, 29), random):02}", written)
    if _DAY.search(written):
        return _DAY.sub(lambda day: _day_like(day[1], day[2], random), written, count=1)
    return _swapped(written, _WEEKDAYS, random)


def _day_like(day: str, ending: str | None, random: Random) -> str:
    other = _other_number(int(day), range(1, 29), random)
    return f"{other}{_ordinal_ending(other) if ending else ''}"


def _ordinal_ending(number: int) -> str:
    return "th" if number in range(10, 20) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _time(written: str, _: Sequence[str], random: Random) -> str | None:
    hour = _HOUR.search(written)
    if hour is None:
        return _swapped(written, _IN_WORDS, random)
    hours = range(13, 24) if int(hour[0]) > len(_IN_WORDS) else range(1, 13)
    other = _other_number(int(hour[0]), hours, random)
    return f"{written[: hour.start()]}{other:0{len(hour[0])}}{written[hour.end() :]}"


def _number(written: str, pool: Sequence[str], random: Random) -> str | None:
    if written.isalpha():
        return _swapped(written, _IN_WORDS[:6], random)
    others = [each for each in pool if each.rstrip("0").rstrip(".") != written.rstrip("0").rstrip(".")]
    return random.choice(others) if others else None


def _money(written: str, _: Sequence[str], random: Random) -> str | None:
    amount = _AMOUNT.search(written)
    if amount is None:
        return None
    value = int(float(amount[0].replace(",", "")))
    other = _other_number(value, range(max(2, value * 3 // 4), value * 3 // 2 + 3), random)
    shown = f"{other:,}" if "," in amount[0] else str(other)
    return written[: amount.start()] + shown + written[amount.end() :]


def _code(written: str, _: Sequence[str], random: Random) -> str | None:
    digits = [place for place, each in enumerate(written) if each.isdigit()][-4:]
    changed = set(random.sample(digits, min(2, len(digits))))
    return "".join(str((int(each) + random.randint(1, 8)) % 10) if place in changed else each for place, each in enumerate(written))


def _text(written: str, pool: Sequence[str], random: Random) -> str | None:
    other = other_of(pool, written, random)
    if other is None:
        return None
    return other.lower() if written.islower() else other.title() if other.islower() else other


def _swapped(written: str, words: Sequence[str], random: Random) -> str | None:
    """With the first word that is one of ``words`` replaced by another one of them."""
    known = {each.lower(): each for each in words}
    found = next((each for each in re.finditer(r"[A-Za-z]+", written) if each[0].lower() in known), None)
    if found is None:
        return None
    other = random.choice([each for each in words if each.lower() != found[0].lower()])
    other = other if found[0][0].isupper() else other.lower()
    return written[: found.start()] + other + written[found.end() :]


def _other_number(number: int, numbers: range, random: Random) -> int:
    return random.choice([each for each in numbers if each != number])


_WRITERS: dict[Kind, Callable[[str, Sequence[str], Random], str | None]] = {
    Kind.NUMBER: _number,
    Kind.MONEY: _money,
    Kind.DATE: _date,
    Kind.TIME: _time,
    Kind.ENUM: _text,
    Kind.NAME: _text,
    Kind.ADDRESS: _text,
    Kind.CODE: _code,
}


# The copies.

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
