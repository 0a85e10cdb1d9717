"""Long texts as statements, the words that an answer says of them, and how much these tell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from attribution.answer import Answer
from attribution.concepts import GROUP_SIGN, SynonymPhrase, Synonyms
from attribution.figures import MOST_PLACES
from attribution.model import new
from attribution.profile import Vocabulary
from attribution.remembering import LONGEST_KEPT, remembered
from attribution.text import clause_ends, fold_words, stem, stems, words

_GRAMMAR = """
    a an the this that these those such same each every any some all both either neither other another more most much many few several less
    i me my mine we us our you your he him his she her it its they them their theirs who whom whose which what where when why how
    am is are was were be been being do does did doing done have has had having will would shall should can could may might must ought
    and or but nor so if then than as because since while although though whether unless until of at by for with about against between
    into through during before after above below to from up down in out on off over under again once here there not no yes only own too
    very just also even still yet ever never however therefore thus rather quite really well almost always often sometimes usually maybe
    perhaps actually especially s t d ll m re ve don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
    got get gets getting go goes going went gone make made makes let lot lots thing things way something anything everything nothing
    one ones someone anyone everyone nobody else like within without per via etc
"""

_REPORTING = """
    say says said saying tell tells told mention mentioned mentions state states stated report reports reported according describe described
    note notes noted think thinks believe find found finds look looks looking seem seems seemed appear appears know knows known
    comment commented review reviews reviewer reviewers rating ratings customer customers guest guests people person others client clients
    patient patients summary record records
"""
"""Words of saying and of who says: an answer speaks of its sources in these words, whatever they say."""

_COURTESY = "please thank thanks sorry sure hello hi ok okay help want wants need needs question questions ask asked let wish"

_GRAMMAR_ELSEWHERE = """
    y o e u de del la las el los lo le les un una unos unas en con por para que se su sus mi tu al como pero si muy ya es ha han
    et ou du des au aux une est sont dans sur avec pour pas ne und oder der das dem ein eine ist sind mit von zu auf nicht
    b c f g h j k l n p q r v w x z
"""
"""Empty words of the other languages that answers are written in, and single letters."""

EMPTY_WORDS = words(_GRAMMAR) | words(_GRAMMAR_ELSEWHERE) | words(_REPORTING) | words(_COURTESY)
EMPTY = stems(_GRAMMAR) | stems(_GRAMMAR_ELSEWHERE) | stems(_REPORTING) | stems(_COURTESY)
"""Words by which no sentence is recognised, and their stems."""


_SENTENCE_SIGNS = ".!?\n"


class Statement:
    """A sentence or a whole text. ``words`` are all of it, folded; what else is known of it is worked out when asked for."""

    __slots__ = ("_content", "_told", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = fold_words(text)
        self._told = -1
        self._content: frozenset[str] | None = None

    @property
    def told(self) -> int:
        """How many of its words tell what it is about."""
        if self._told < 0:
            self._told = len(self.words) - sum(map(EMPTY_WORDS.__contains__, self.words))
        return self._told

    @property
    def content(self) -> frozenset[str]:
        """The stems of the words that tell what it is about."""
        if self._content is None:
            self._content = frozenset(map(stem, frozenset(self.words) - EMPTY_WORDS)) - EMPTY
        return self._content

    @property
    def stems(self) -> list[str]:
        """The stems of all its words, in their order."""
        return list(map(stem, self.words))


def statement_of(text: str) -> Statement:
    """A text as one statement."""
    return _remembered(text) if len(text) <= LONGEST_KEPT else Statement(text)


_remembered = remembered(Statement)


def statements_of(whole: Statement) -> list[Statement]:
    """The sentences of a text; of a text that is one sentence itself."""
    text = whole.text
    ends = [end for end in clause_ends(text) if text[end - 1] in _SENTENCE_SIGNS]
    if not ends or (len(ends) == 1 and not text[ends[0] :].strip()):
        return [whole]
    edges = [0, *ends, len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(edges)]
    return [statement_of(sentence) for sentence in sentences if sentence]


Place = tuple[int, int]
"""The first word of something said, and how many words it has."""


class Telltale(NamedTuple):
    """The keys under which an answer may say a word of a text: itself, its groups, the phrases it is in."""

    keys: tuple[str, ...]
    phrases: tuple[SynonymPhrase, ...]


def own_words(answer: Answer, explained: set[str]) -> frozenset[str]:
    """Return what an answer says besides the values of other fields, whose words are ``explained``."""
    return frozenset([word for word in answer.places if word not in EMPTY_WORDS and word not in explained])


class Said:
    """The content of an answer: ``words`` are stems, ``groups`` those of synonyms, ``reach`` all stems by which a text may say either.

    ``asked`` are the stems and groups of the user's question.
    """

    def __init__(self, answer: Answer, words: frozenset[str], synonyms: Synonyms) -> None:
        stems = frozenset(map(stem, words)) - EMPTY
        self.answer = answer
        self.synonyms = synonyms
        self.words = stems
        related = [word for word in stems if word in synonyms.kin]
        self._phrases = _phrases(answer, stems, synonyms)
        self.groups = set(self._phrases).union(*map(synonyms.groups.__getitem__, related))
        self.reach = stems.union(*map(synonyms.kin.__getitem__, related), *map(synonyms.members.__getitem__, self._phrases))
        asked = answer.asked_words if answer.asked else []
        self.asked = synonyms.groups_of(asked).union(asked)
        self._telltales: dict[str, Telltale] = {}

    def told_by(self, word: str) -> Telltale:
        """Return what a word of a text may say that the answer says too."""
        known = self._telltales.get(word)
        if known is None:
            groups = self.groups
            its = [group for group in self.synonyms.groups.get(word, ()) if group in groups]
            phrases = tuple([phrase for phrase in self.synonyms.phrases.get(word, ()) if phrase.group in groups])
            known = self._telltales[word] = Telltale((word, *its) if word in self.words else tuple(its), phrases)
        return known

    def places(self, key: str) -> list[Place]:
        """Return where the answer has the meaning of a key, in order."""
        if key in self.words:
            return [(place, 1) for place in self.answer.stems[key][:MOST_PLACES]]
        words = self.synonyms.members[key] & self.words
        single = [place for word in words if key in self.synonyms.groups.get(word, ()) for place in self.places(word)]
        return sorted(single + self._phrases.get(key, []))


def _phrases(answer: Answer, words: Collection[str], synonyms: Synonyms) -> dict[str, list[Place]]:
    """Return where the phrases of each group are in the answer."""
    table: dict[str, list[Place]] = {}
    stems, in_order = answer.stems, answer.stem_words
    for word in [word for word in words if word in synonyms.phrases]:
        for phrase in synonyms.phrases[word]:
            if all(map(stems.__contains__, phrase.stems)):
                first, count = phrase.offset, len(phrase.stems)
                places = [(place - first, count) for place in stems[word][:MOST_PLACES] if phrase.stands(place, in_order)]
                if places:
                    table[phrase.group] = sorted(table.get(phrase.group, []) + places)
    return table


def meet(statement: Statement, said: Said) -> set[str]:
    """Return what a statement and the answer both say, as keys."""
    told = [said.told_by(word) for word in statement.content & said.reach]
    met = {key for each in told for key in each.keys}
    phrases = [phrase for each in told for phrase in each.phrases]
    if phrases:
        words = statement.stems
        met.update([phrase.group for phrase in phrases if phrase.stands_in(words)])
    return met


_TEXTS_ELSEWHERE = 20
"""Texts imagined besides those of the context, so that in a small one no word is rarer than it can be known to be."""

_TOO_FEW = 2
"""In a context of so many texts rarity is known by half only: what is in one text of two may be common elsewhere."""

_ENOUGH_TO_TELL = 8
"""With so many texts, what more than half of them say is what all of them are about, and tells none from another."""

_ASKED_ABOUT, _NOBODY_ASKED = 2.2, 1.5
_SYNONYM = 0.8
_EVALUATING = 0.3
"""Factors of weight: for what the user asked about, for what is said in other words, a word that judges without saying what."""

_INFORMATIVE = 0.1
"""The least weight that gives reason to think of a text."""

_MOST_PLACES = 8
_STEPS = 4096
"""Weights are multiples of a power of two, so that their sums are exact: the same in any order."""


class Telling(NamedTuple):
    """The weight of a key. ``texts`` of the context say it.

    ``places`` are the numbers of the answer's sentences that say it, the first few, each with its first word there.
    """

    weight: float
    key: str
    is_asked: bool
    is_evaluating: bool
    texts: int
    places: tuple[tuple[int, int], ...]
    known_by: tuple[str, ...]
    """The groups of a word: a text that has the word itself says them by it."""


def weigh(met_by_text: Sequence[Collection[str]], wanted: Collection[str], said: Said, vocabulary: Vocabulary) -> dict[str, Telling]:
    """Return what each key of ``wanted`` tells; those that tell nothing are left out."""
    counts = dict.fromkeys(wanted, 0)
    for met in met_by_text:
        for key in met:
            if key in counts:
                counts[key] += 1
    texts = len(met_by_text)
    most = texts / 2 if texts >= _ENOUGH_TO_TELL else texts
    scale = log(texts + _TEXTS_ELSEWHERE)
    known = texts / (texts + _TOO_FEW)
    asked = said.asked
    telling: dict[str, Telling] = {}
    for key, count in counts.items():
        if count <= most:
            each = _tell(key, count, known * (1 - log(count + 1) / scale), asked, said, vocabulary)
            if each.weight >= _INFORMATIVE:
                telling[key] = each
    return telling


def _tell(key: str, count: int, rarity: float, asked: set[str], said: Said, vocabulary: Vocabulary) -> Telling:
    is_word = key in said.words
    groups = said.synonyms.groups.get(key, ()) if is_word else ()
    is_asked = bool(asked) and (key in asked or not asked.isdisjoint(groups))
    weight = rarity * (_ASKED_ABOUT if is_asked else 1.0 if said.answer.asked else _NOBODY_ASKED) * (1.0 if is_word else _SYNONYM)
    is_evaluating = key.removeprefix(GROUP_SIGN) in vocabulary.evaluating
    weight = round(_STEPS * weight * (_EVALUATING if is_evaluating else 1.0)) / _STEPS
    return new(Telling, (weight, key, is_asked, is_evaluating, count, _places(key, said), groups))


def sentence_of(place: int, answer: Answer) -> int:
    """The number of the sentence that a word is in."""
    return bisect_right(answer.sentence_ends, answer.starts[place])


def _places(key: str, said: Said) -> tuple[tuple[int, int], ...]:
    places: dict[int, int] = {}
    for first, _ in said.places(key)[:_MOST_PLACES]:
        places.setdefault(sentence_of(first, said.answer), first)
    return tuple(places.items())
