"""A text as words and marks, with its sentences: computed once, then asked for every mention."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain

from attribution.model import Span
from attribution.remembering import remembered
from attribution.text import lower

_LETTER = r"[^\W\d_]"
_PATTERN = (
    r"(L(?:/[a-z]{1,2}(?!\w)|L*(?:['’]L+)*)"  # a word, or r/o, h/o, s/p
    r"|\d(?:[\d.,:/]*\d)?"  # a figure, a clock time or a date is one token
    r"|\n[\n\s]*"
    r"|\([-+]\)"
    r"|[.,;:!?¿¡()|—–…\"“”«»>]"
    r"|-(?:free|naive|naïve)\b|(?<!\w)-ve\b|(?<=\s)-(?=\s))"
)
_TOKEN = re.compile(_PATTERN.replace("L", _LETTER))
_ASCII_TOKEN = re.compile(_PATTERN.replace("L", "[a-z]"))
"""Found in two thirds of the time."""

_ABBREVIATIONS = frozenset(["dr", "dra", "mr", "mrs", "ms", "sr", "sra", "st", "vs", "prof", "approx", "eg", "ie", "etc"])
_MARKS = {"—": ":", "–": ":", "-": ":", "|": ":", "…": ".", "(": ":", ")": ":", ">": "\n"}
_OPEN_QUOTES = frozenset('"“”«»')

HARD = frozenset(".;:!?\n¿¡")
"""Marks that end a clause wherever they stand."""

SENTENCE_ENDS = frozenset(".!?\n")

_AUXILIARIES = ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "would", "should")
_WITHOUT_APOSTROPHE = {f"{verb}nt": verb for verb in _AUXILIARIES} | {"cannot": "can", "cant": "can", "wont": "will"}
_UNACCENTED = str.maketrans("áéíóúü", "aeiouu")
_IRREGULAR = {"ca": "can", "wo": "will", "ai": "is", "sha": "shall"}
_SUFFIXES = ("'s", "'d", "'ll", "'re", "'ve", "'m")


_AMBIGUOUS = frozenset([".", "?"])


@remembered
def _normal(word: str) -> tuple[str, ...]:
    """Return the words that a lower-case word is short for: doesn't → does not, sister's → sister 's; accents go, except of "sí"."""
    if not word[0].isalpha():
        return ("\n" if word[0] == "\n" else _MARKS.get(word, word),)
    word = word.replace("’", "'")
    if word.endswith("n't"):
        verb = word[:-3]
        if not verb:
            return ("not",)
        return (_IRREGULAR.get(verb, verb), "not")
    if word in _WITHOUT_APOSTROPHE:
        return (_WITHOUT_APOSTROPHE[word], "not")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) > len(suffix):
            return (word[: -len(suffix)], suffix)
    return (word if word == "sí" else word.translate(_UNACCENTED),)


def _is_query(text: str, offset: int) -> bool:
    """True for the mark of "?UTI", which clinicians put before what they suspect."""
    return text[offset + 1 : offset + 2].isalnum() and not text[max(0, offset - 1) : offset].strip()


class Clauses:
    """The tokens of a text and the bounds of its sentences, in the order of the text.

    ``words`` are normalised words and marks, ``starts`` and ``ends`` their offsets in the text. ``steps`` counts the tokens that were
    looked at, which is how linear growth is tested.
    """

    __slots__ = ("_sentences", "ends", "starts", "steps", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[str]
        self.starts: list[int]
        self.ends: list[int]
        self._tokenise(lower(text))
        self.steps = len(self.words)
        self._sentences: list[int] | None = None

    @classmethod
    def of(cls, text: str) -> Clauses:
        """Return the clauses of a text."""
        return cls(text)

    def _tokenise(self, lowered: str) -> None:
        """Cut the text into tokens in one go, and each token into the words that it is short for."""
        pieces = (_ASCII_TOKEN if lowered.isascii() else _TOKEN).split(lowered)
        edges = list(accumulate(map(len, pieces)))
        found, starts, ends = pieces[1::2], edges[:-1:2], edges[1::2]
        made = list(map(_normal, found))
        if not _AMBIGUOUS.isdisjoint(found):
            self._settle_stops(found, made, lowered, ends)
        counts = list(map(len, made))
        self.words = list(chain.from_iterable(made))
        if counts.count(1) < len(counts):
            starts = [start for start, count in zip(starts, counts, strict=True) for _ in range(count)]
            ends = [end for end, count in zip(ends, counts, strict=True) for _ in range(count)]
        self.starts, self.ends = starts, ends
        if "May" in self.text:
            self._find_months(lowered)

    def _settle_stops(self, found: Sequence[str], made: list[tuple[str, ...]], lowered: str, ends: Sequence[int]) -> None:
        """Tell full stops that end a sentence from those of short forms, and question marks from those before what is suspected."""
        for place in [place for place, token in enumerate(found) if token in _AMBIGUOUS]:
            before = place - 1
            while before >= 0 and not made[before]:  # a short form's own stop
                before -= 1
            if found[place] == "?":
                made[place] = ("possible",) if _is_query(lowered, ends[place] - 1) else ("?",)
            elif before >= 0 and self._is_abbreviation(lowered, ends[place], made[before][-1], ends[before]):
                made[place] = ()

    def _find_months(self, lowered: str) -> None:
        """Leave "May" with its capital, so that it is no verb, unless it only begins a sentence."""
        for place, word in enumerate(self.words):
            if word == "may" and self.text[self.starts[place]] == "M":
                is_first = place == 0 or self.words[place - 1] in SENTENCE_ENDS
                if not is_first or lowered[self.ends[place] + 1 : self.ends[place] + 2].isdigit():
                    self.words[place] = "May"

    def _is_abbreviation(self, lowered: str, end: int, last: str, last_end: int) -> bool:
        """True for the full stop of "Dr." or of an initial, and for one inside a word such as "a.m." or a host name."""
        follows = lowered[end : end + 2]
        if follows and not follows[0].isspace():
            return follows[0].isalpha() and not (self.text[end].isupper() and len(last) > 2)
        if last_end != end - 1:
            return False
        return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha() and follows[1:].islower())

    @property
    def sentence_starts(self) -> list[int]:
        """The tokens at which sentences begin."""
        if self._sentences is None:
            self._sentences = [0, *[place + 1 for place, word in enumerate(self.words) if word in SENTENCE_ENDS]]
        return self._sentences

    def sentence(self, place: int) -> tuple[int, int]:
        """Return the first token of the sentence that token ``place`` is in, and the token behind its last."""
        starts = self.sentence_starts
        index = bisect_right(starts, place)
        return starts[index - 1], starts[index] if index < len(starts) else len(self.words)

    def token_at(self, offset: int) -> int:
        """Return the first token that begins at ``offset`` or behind it."""
        return bisect_left(self.starts, offset)

    def span(self, first: int, end: int) -> Span:
        """Return the offsets of the tokens from ``first`` up to ``end``."""
        return self.starts[first], self.ends[end - 1]

    def begins_clause(self, place: int) -> bool:
        """True if token ``place`` is the first of its sentence or follows a mark that ends a clause, or a quotation mark."""
        return place == 0 or self.words[place - 1] in HARD or self.words[place - 1] in _OPEN_QUOTES
