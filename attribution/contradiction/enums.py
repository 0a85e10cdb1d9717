"""Values of a closed set: another known value of the field, or another member of its value's family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.answer import Answer
from attribution.contradiction.families import MEMBER_STEMS, Family, Words, families_of, form_of
from attribution.contradiction.rival import Rival
from attribution.contradiction.standing import first_place, is_asked, is_denied, is_supposed
from attribution.contradiction.turn import Turn
from attribution.contradiction.words import CONTRASTED
from attribution.lexicon.words import CONNECTORS
from attribution.model import FieldType, Span, contains
from attribution.text import stem, words_of

_REACH = 5
_NEAR = 8
_BEING = ("is", "s", "are", "re", "as", "was", "be", "also", "actually")
_ARTICLES = ("a", "an", "the")


def enums(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another value near the field's name, near a word that its family needs, or before its marker."""
    stems = turn.answer.stems
    for number in turn.of(FieldType.ENUM):
        if turn.answer.is_spent:
            return
        if turn.rows[number][7] or not stems.keys().isdisjoint(turn.name(number).name_stems):
            yield from _of_known_values(number, turn)
    if not stems.keys().isdisjoint(MEMBER_STEMS):
        for number in turn.of(FieldType.FIELD_VALUE):
            if turn.answer.is_spent:
                return
            if not turn.rows[number][8] and (families := families_of(str(turn.rows[number][0][4]))):
                yield from _of_families(families, number, turn)


def _of_known_values(number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another value that the registry knows."""
    row, answer = turn.rows[number], turn.answer
    own = words_of(str(row.field.value))
    name = turn.name(number)
    for value in name.enum_values:
        words = words_of(value)
        for place in () if words == own or words[0] not in answer.places else answer.find(words):
            span = answer.span(place, len(words))
            label = answer.label_near(name.name_stems, place, len(words), 2)
            because = str(label) if label else _name_before(name.name_stems, place, answer)
            if not because and any(contains(claim, span) for claim in row.claims):
                because = "before its marker"
            if because and _stands(span, number, turn):
                yield number, Rival(value, span, because)


def _name_before(names: frozenset[str], place: int, answer: Answer) -> str:
    """``risk level is currently low``: the name, then only connecting words, in one clause."""
    clause = answer.naming_clause(place)[0]
    for each in range(place - 1, max(-1, place - 1 - _REACH), -1):
        if answer.starts[each] < clause:
            break
        if answer.stem_words[each] in names:
            return f"label ‘{answer.words[each]}’"
        if answer.words[each] not in CONNECTORS:
            break
    return ""


def _of_families(families: Sequence[Family], number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another member of the family of a text that is a member itself."""
    own = form_of(str(turn.rows[number].field.value))
    stems = turn.answer.stems.keys()
    for family in families:
        if stems.isdisjoint(family.firsts):
            continue
        others = [member for member in family.members if own not in member[1]]
        if not _says_own(family, own, turn.answer):
            yield from _of_members(others, family, number, turn)


def _says_own(family: Family, own: Words, answer: Answer) -> bool:
    """Return True if the answer has another form of the field's own value."""
    return any(answer.find_stems(form) for _, forms in family.members if own in forms for form in forms)


def _of_members(others: Sequence[tuple[str, tuple[Words, ...]]], family: Family, number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    answer = turn.answer
    for value, forms in others:
        for form in forms:
            for place in answer.find_stems(form):
                span = answer.span(place, len(form))
                because = _why(place, len(form), family, number, turn)
                if because and _stands(span, number, turn) and not _is_known(span, turn, is_named=because.startswith("label")):
                    yield number, Rival(value, span, because)


def _why(place: int, count: int, family: Family, number: int, turn: Turn) -> str:
    """The word near a member by which it is a value of the field."""
    names = turn.name(number).label_stems
    label = turn.answer.label_near(names, place, count, 2)
    if label:
        return str(label)
    if family.near:
        near = turn.answer.label_near(family.near, place, count, _NEAR)
        return f"said with ‘{near.word}’" if near else _of_the_record(place, count, family, number, turn)
    if family.is_named or not (_is_said_to_be(place, turn.answer) or turn.is_of_the_record(turn.answer.span(place, count), [number])):
        return ""
    return "a value of the same kind"


def _is_said_to_be(place: int, answer: Answer) -> bool:
    """Return True if a copula and an article stand before a place: "she is a …"."""
    before = answer.words[max(0, place - 2) : place]
    return len(before) > 1 and before[1] in _ARTICLES and before[0] in _BEING


def _of_the_record(place: int, count: int, family: Family, number: int, turn: Turn) -> str:
    """Return where the names of the record have such a word, and the member is written as its value: "a compact Corolla".

    Said of nothing else: a member of several words, one written like a name or before one, one where the answer has such a word.
    """
    answer, section = turn.answer, turn.rows[number].field.section
    letters = [answer.text[answer.starts[each]] for each in (place, place + count) if each < len(answer.words)]
    is_telling = count > 1 or (any(each.isupper() for each in letters) and place) or not answer.stems.keys().isdisjoint(family.near)
    answer.steps += len(turn.rows) // 8
    siblings = [row.field.leaf for row in turn.rows if row.field.section == section] if is_telling else []
    heads = [word for leaf in siblings for word in words_of(leaf) if stem(word) in family.near]
    return f"the record has a ‘{heads[0]}’" if heads else ""


def _is_known(span: Span, turn: Turn, *, is_named: bool) -> bool:
    """Return True if the user or a value of the context has the words; beside the field's name, whether a value consists of them."""
    said = words_of(turn.answer.as_written(span))
    turn.answer.steps += len(turn.values) // 4
    if is_named and not turn.user.find(said):
        return said in map(words_of, turn.values)
    return all(map(turn.knows, said))


def _stands(span: Span, number: int, turn: Turn) -> bool:
    answer = turn.answer
    sentence = answer.sentence_at(span[0])
    if turn.is_explained_by_another(span, number) or is_asked(sentence, answer):
        return False
    place = first_place(span, answer)
    if not CONTRASTED.isdisjoint(answer.words[max(0, place - 2) : place]):
        return False
    if is_denied(span, answer) or is_supposed(span, answer):
        return False
    evidence = turn.rows[number].evidence
    return not any(sentence[0] <= own[0] < sentence[1] for own in (evidence.spans if evidence else ()))
