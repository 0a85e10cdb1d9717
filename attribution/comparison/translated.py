"""Values, and yes or no, in the words of other languages than the record's: looked up in a table, without grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from attribution.answer import Answer
from attribution.assertion import AssertionKind
from attribution.comparison.results import Results
from attribution.comparison.turn import MOST_COMPARED, Turn
from attribution.figures import MOST_PLACES
from attribution.lexicon import Translation, load_lexicon
from attribution.model import Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import words, words_of

_DENYING = words("""
    no sin ningun ninguna nunca ne pas sans aucun aucune jamais nicht kein keine keinen keiner nie ohne nao sem nenhum nenhuma non senza
    nessun nessuna mai ferme fermee fermes geschlossen fechado fechada chiuso chiusa cerrado cerrada cierra
    مغلق مغلقة لا ليس ليست لم لن غير بدون ما не нет без khong chua
""")
"""Words that deny in one of these languages; what stands in a clause with one is not taken for stated."""
_DENYING_SIGNS, _DENYING_BEHIND = "不没沒無无未别", "不休关"
_REACH = 6
"""The most signs between a denial and what it denies, where words have no spaces."""
_SIGNS = re.compile("[\u3400-\u9fff]+")
_CLAUSE_OF_SIGNS = re.compile("[，。；！？,.;!?\n]")
_ARTICLE = re.compile("^(?:وال|بال|فال|كال|لل|ال|و)(?=.{3})")
_ENDING = re.compile("(?<=.{4})(?:en|er|es|em|e|s|n|as|os|a|o|ий|ом|и)$")
_LONGEST, _LONGEST_IN_SIGNS = 4, 9
"""The most words, and the most signs, of a phrase."""
Roots = tuple[str, ...]
_Key = tuple[str, ...] | tuple[int, ...]


class _Table(NamedTuple):
    """The entries by their phrases, as the roots of words or as signs, and by what they mean."""

    entries: Sequence[Translation]
    by_roots: Mapping[Roots, Sequence[int]]
    by_signs: Mapping[str, Sequence[int]]
    by_meaning: Mapping[_Key, Sequence[int]]
    by_field: Mapping[int, Sequence[int]]


def find_translated(turn: Turn, results: Results) -> None:
    """Find the fields of which nothing is seen by the words that another language has for their values."""
    answer = turn.answer
    open_ = [
        target for target in turn.reading.targets[:MOST_COMPARED] if _is_open(target, results) and answer.affords(1 + len(_texts(target)))
    ]
    if not open_ or not answer.affords(_LONGEST * len(answer.words) + len(answer.text) // _REACH):
        return
    places = _places(answer)
    for target in open_:
        spans = list(_spans(target, _places_for(target, places, answer), places, turn))
        if spans:
            results.found(target, spans)


def _places_for(target: Target, places: Mapping[int, Sequence[Span]], answer: Answer) -> dict[int, Sequence[Span]]:
    """Return the places of the entries that a field can be told by, as far as the steps of looking at them are left."""
    table = _shipped()
    if target.kind == "flag":
        entries = dict.fromkeys(table.by_field.get(-1 if target.name.yes_no is None else target.name.yes_no, ()))
    else:
        meant = ({entry for key in _keys(text) for entry in table.by_meaning.get(key, ())} for text in dict.fromkeys(_texts(target)))
        entries = dict.fromkeys(entry for several in meant for entry in several)
    return {entry: found for entry in entries if (found := places.get(entry)) and answer.affords(len(found))}


def _is_open(target: Target, results: Results) -> bool:
    row = results.rows[target.row]
    return row.evidence is None and row.contradiction is None and row.mentioned is None and target.kind in ("value", "list", "flag")


def _spans(target: Target, own: Mapping[int, Sequence[Span]], places: Mapping[int, Sequence[Span]], turn: Turn) -> Iterator[Span]:
    """Yield those of a field's ``own`` places that say what is recorded of it. ``places`` are those of all entries."""
    for entry, spans in own.items():
        if target.kind == "flag":
            yield from (span for span in spans if _is_denied(span, turn) is not target.answer)
        else:
            is_beside = _shipped().entries[entry].beside
            yield from (span for span in spans if not _is_denied(span, turn) and (not is_beside or _is_named(span, target, places, turn)))


def _texts(target: Target) -> Sequence[str]:
    value = target.field.value
    if target.kind == "flag":
        return ()
    return (
        [value] if isinstance(value, str) else [each for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else ()
    )


def _is_named(span: Span, target: Target, places: Mapping[int, Sequence[Span]], turn: Turn) -> bool:
    """Return True if a word for one of the words of a field's name is in the sentence of a place."""
    start, end = turn.answer.sentence_at(span[0])
    entries = {entry for word in target.name.words for entry in _shipped().by_meaning.get(stems_of(word), ())}
    return any(start <= place < end and place != span[0] for entry in entries for place, _ in places.get(entry, ()))


def _is_denied(span: Span, turn: Turn) -> bool:
    """Return True if a word that denies is in the clause, or, where words have no spaces, shortly before."""
    answer = turn.answer
    if "\u3400" <= answer.text[span[0]] <= "\u9fff":
        before = _CLAUSE_OF_SIGNS.split(answer.text[max(0, span[0] - _REACH) : span[0]])[-1]
        behind = _CLAUSE_OF_SIGNS.split(answer.text[span[1] : span[1] + _REACH])[0]
        is_closed = any(sign in behind for sign in _DENYING_BEHIND)
        return is_closed or any(sign in before for sign in _DENYING_SIGNS)
    if turn.is_read and turn.assertion(span).kind is not AssertionKind.AFFIRMED:
        return True
    clause = answer.places_around(answer.place_at(span[0]), answer.clause_at(span[0]))
    return not _DENYING.isdisjoint(answer.words[clause.start : clause.stop])


def _places(answer: Answer) -> dict[int, list[Span]]:
    """Return the places of each entry's phrases in an answer, at most ``MOST_PLACES``."""
    table = _shipped()
    found: dict[int, list[Span]] = {}
    roots = [_root(word) for word in answer.words]
    for first in range(len(roots)):
        for size in range(1, min(_LONGEST, len(roots) - first) + 1):
            for entry in table.by_roots.get(tuple(roots[first : first + size]), ()):
                _keep(found, entry, answer.span(first, size))
    for run in _SIGNS.finditer(answer.text):
        for start in range(*run.span()):
            for size in range(1, min(_LONGEST_IN_SIGNS, run.end() - start) + 1):
                for entry in table.by_signs.get(answer.text[start : start + size], ()):
                    _keep(found, entry, (start, start + size))
    return found


def _keep(found: dict[int, list[Span]], entry: int, span: Span) -> None:
    known = found.setdefault(entry, [])
    if len(known) < MOST_PLACES:
        known.append(span)


def _root(word: str) -> str:
    """Return a folded word without its article or its ending."""
    return _ARTICLE.sub("", word) if "\u0600" <= word[0] <= "\u06ff" else _ENDING.sub("", word)


def _keys(text: str) -> Iterable[_Key]:
    """Yield what a value can be looked up by: its words, its groups of synonyms, its steps in classes."""
    stems, terms = stems_of(text), shipped_terms()
    yield stems
    for group in terms.synonyms.get(stems, ()):
        yield (group,)
    yield from terms.values.get(stems, ())


@cache
def _shipped() -> _Table:
    """Return the table that is shipped."""
    entries = load_lexicon().translations
    by_roots: dict[Roots, list[int]] = {}
    by_signs: dict[str, list[int]] = {}
    by_meaning: dict[_Key, list[int]] = {}
    by_field: dict[int, list[int]] = {}
    for number, entry in enumerate(entries):
        for phrase in entry.phrases:
            if _SIGNS.fullmatch(phrase):
                by_signs.setdefault(phrase, []).append(number)
            else:
                by_roots.setdefault(tuple(map(_root, words_of(phrase))), []).append(number)
        for key in {key for meaning in entry.means for key in _keys(meaning)}:
            by_meaning.setdefault(key, []).append(number)
        for field in entry.fields:
            by_field.setdefault(shipped_terms().yes_no[stems_of(field)], []).append(number)
    return _Table(entries, by_roots, by_signs, by_meaning, by_field)
