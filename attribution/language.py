"""The language of an answer by its script and its function words: a short table, no model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attribution.text import words

_SCRIPTS = (
    ("zh", re.compile("[\u3400-\u9fff]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("hi", re.compile("[\u0900-\u0dff]")),
)
_WORDS: Mapping[str, frozenset[str]] = {
    "en": words("the is are was and your you of to for with that it on in at this have has not be will from she he they can"),
    "es": words("el la los las es de su y con que en para por una un del al se lo tiene como usted esta sus no le"),
    "de": words("der die das ist und ihre ihr mit fur ein eine nicht wird bei von zu am um sie den dem liegt auf im hat"),
    "fr": words("le la les est et votre vous de pour avec une un du des en pas que dans au il elle sont sur"),
    "pt": words("o os e seu sua de com que em para por uma um da nao voce na esta ao"),
    "it": words("il la gli le e di con che per una un del della non suo sua il lei sono nel ha"),
    "nl": words("de het een en van met voor is uw niet op te zijn bij dat u er naar heeft"),
}
_NAMES_OF = {word: [name for name, known in _WORDS.items() if word in known] for word in frozenset().union(*_WORDS.values())}
"""The languages that have a word."""
NAMES = {
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "ar": "Arabic",
    "ru": "Russian",
    "he": "Hebrew",
    "el": "Greek",
    "hi": "an Indian language",
    "de": "German",
    "fr": "French",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
}
READ = frozenset({"en", "es"})
"""Languages that are read with grammar."""
_LONGEST = 2_000
_FEWEST = 3


def language_of(text: str, places: Mapping[str, Sequence[int]]) -> str:
    """The language's short name: English unless another has more words of the table. ``places`` are the places of each word."""
    if not text.isascii():
        beginning = text[:_LONGEST]
        most, name = max((len(pattern.findall(beginning)), name) for name, pattern in _SCRIPTS)
        if most > max(_FEWEST, len(beginning) // 10):
            return name
    counts = dict.fromkeys(_WORDS, 0)
    for word in places.keys() & _NAMES_OF.keys():
        for name in _NAMES_OF[word]:
            counts[name] += len(places[word])
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    return best if counts[best] >= _FEWEST and counts[best] > 1.5 * counts["en"] else "en"
