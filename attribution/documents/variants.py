"""Whether two spellings are one word: what a quote may differ in from its source without saying anything else."""

from __future__ import annotations

from attribution.word_classes import words

_FEWEST_LETTERS = 5
"""In shorter words two letters that have changed places make another word as often as not: from, form."""

OTHER_WORDS = words("""
    casual causal marital martial united untied trial trail dairy diary sacred scared silver sliver angel angle quiet quite
    tired tried calvary cavalry bread beard reserve reverse conservation conversation nuclear unclear
    adapter adaptor later latter desert dessert discrete discreet hoping hopping planed planned staring starring filing filling
    bating batting ileum ilium moral morral loose lose
""")
"""Words that a slip of the pen makes of each other, but which are both words: between two of these nothing is a slip."""

_SPELLINGS = (
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("isa", "iza"),
    ("ise", "ize"),
    ("isi", "izi"),
    ("yse", "yze"),
    ("tre", "ter"),
    ("ogue", "og"),
)
"""British and American."""


def is_same_word(quoted: str, source: str) -> bool:
    """Return True if two different tokens are one word with a slip: letters swapped, a letter doubled or not, British or American."""
    if not (quoted.isalpha() and source.isalpha()) or min(len(quoted), len(source)) < _FEWEST_LETTERS:
        return False
    if quoted in OTHER_WORDS and source in OTHER_WORDS:
        return False
    return _is_swap(quoted, source) or _undoubled(quoted) == _undoubled(source) or _american(quoted) == _american(source)


def _is_swap(first: str, second: str) -> bool:
    """Two neighbouring letters have changed places, but not at the beginning, where prefixes differ in no more."""
    if len(first) != len(second):
        return False
    off = [place for place, (one, other) in enumerate(zip(first, second, strict=True)) if one != other]
    return len(off) == 2 and off[0] > 0 and off[1] == off[0] + 1 and first[off[0]] == second[off[1]] and first[off[1]] == second[off[0]]


def _undoubled(word: str) -> str:
    """With every doubled letter written once."""
    return "".join([letter for place, letter in enumerate(word) if not place or letter != word[place - 1]])


def _american(word: str) -> str:
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word
