"""Another word of a closed set, or the other of yes and no, stated where the field is meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pkgutil import get_data
from typing import NamedTuple

from attribution.answer import Answer
from attribution.assertion.yes_no import is_spoken_of, statements_of
from attribution.binding.beside import is_of_what_is_near
from attribution.comparison.contradictions.turn import ASKING, CONFIRMING, CONTRASTED, MODALS, OFFERING, Rival, Turn
from attribution.lexicon.words import CONDITIONS, CONNECTORS, CONTRACTED_BEFORE_NOT, NEGATIONS, REPLACED
from attribution.model import FieldAttribution, FieldType, Span, contains
from attribution.remembering import remembered
from attribution.schema.truth import truth_of
from attribution.text import stem, words_of

_LONGEST = 30
_LITTLE = (("specialist",), ("class",), ("car",), ("restaurant",))
NAMED_ONLY = "*"

Words = tuple[str, ...]


class Family(NamedTuple):
    """The first stems of all forms, the forms of each member as stems, and the stems of words of which one has to be near.

    ``is_named``: the field itself has to be named.
    """

    firsts: frozenset[str]
    members: tuple[tuple[str, tuple[Words, ...]], ...]
    near: frozenset[str]
    is_named: bool


def _read() -> Iterator[Family]:
    lines = (get_data("attribution", "profiles/families.txt") or b"").decode().splitlines()
    for line in lines:
        if not line or line.startswith("#"):
            continue
        written, _, near = line.partition(";")
        members = [[form.strip() for form in member.split("/")] for member in written.split("|")]
        heads = near.split()
        yield Family(
            frozenset([stems_of(form)[0] for forms in members for form in forms]),
            tuple([(forms[0], tuple(map(stems_of, forms))) for forms in members]),
            frozenset([stem(each) for each in heads if each != NAMED_ONLY]),
            NAMED_ONLY in heads,
        )


def stems_of(text: str) -> Words:
    """The stems of the words of a value."""
    return tuple(map(stem, words_of(text)))


def _by_form(families: tuple[Family, ...]) -> Mapping[Words, tuple[Family, ...]]:
    table: dict[Words, tuple[Family, ...]] = {}
    for family in families:
        for _, forms in family.members:
            for form in forms:
                table[form] = (*table.get(form, ()), family)
    return table


FAMILIES_OF = _by_form(tuple(_read()))
"""The families that a form belongs to."""

MEMBER_STEMS = frozenset([form[0] for form in FAMILIES_OF])
"""The first stems of all forms: an answer without any states no member."""


@remembered
def families_of(value: str) -> tuple[Family, ...]:
    """The families of a value, if it is a member of any."""
    return FAMILIES_OF.get(form_of(value), ()) if len(value) <= _LONGEST else ()


@remembered
def form_of(value: str) -> Words:
    """The stems of a value; without a last word that says little: an ENT specialist, a dental clinic."""
    stems = stems_of(value)
    shorter = stems[:-1] if stems[-1:] in _LITTLE else stems
    return shorter if stems not in FAMILIES_OF and shorter in FAMILIES_OF else stems


_REPLIED = "replied"
_MOST_ROWS = 200


def booleans(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """A statement of the field's subject with the other polarity."""
    for number in turn.of(FieldType.BOOLEAN):
        if turn.answer.is_spent:
            return
        if _is_said(turn.rows[number], number, turn):
            yield from _opposite(number, turn)


def _is_said(row: FieldAttribution, number: int, turn: Turn) -> bool:
    """Return True if the answer may speak of a field and does not state its own value outright, as a reply does not."""
    if row.evidence and row.evidence.rule != _REPLIED:
        return False
    return is_spoken_of(turn.name(number).subject, turn.answer)


def _opposite(number: int, turn: Turn) -> Iterator[tuple[int, Rival]]:
    row = turn.rows[number]
    for each in statements_of(row.field, turn.answer, turn.profile):
        if (
            each.is_affirmed is not truth_of(row.field)
            and not each.is_general
            and not (row.evidence and each.question)
            and not turn.is_explained_by_another(each.span, number)
            and not (each.question and _may_ask_for_another(each.question, number, turn))
        ):
            word = each.reply or each.negation
            because = f"‘{word}’" if word else "said without a negation"
            yield number, Rival(str(each.is_affirmed).lower(), each.span, because, denies_own=row.evidence is not None)


def _may_ask_for_another(word: str, number: int, turn: Turn) -> bool:
    """Return True if the word by which a question names a field is also one of another that is about more: daycare, and returning to it."""
    asked, own = stem(word), turn.name(number).subject.topics
    others = [turn.name(other).subject.topics for other in turn.of(FieldType.BOOLEAN)[:_MOST_ROWS] if other != number]
    return any(len(topics) > len(own) and any(asked in topic.forms for topic in topics) for topics in others)


_CONDITION_REACH = 40
_DENIAL_REACH = 3
_MODAL_REACH = 3


def first_place(span: Span, answer: Answer) -> int:
    """The first word of a span; a currency sign before it is none, and where the span begins inside a word it is that word."""
    places = answer.places_in(span)
    return places.start if places else answer.place_at(span[0])


def is_asked(sentence: Span, turn: Turn) -> bool:
    """Return True if a sentence only asks. Each is read once, however many values stand in it."""
    if sentence not in turn.asking:
        turn.asking[sentence] = _only_asks(sentence, turn.answer)
    return turn.asking[sentence]


def _only_asks(sentence: Span, answer: Answer) -> bool:
    """Return True for a question, unless it says over what is to be booked or confirmed, or offers it: then it states its values."""
    if not answer.is_question(sentence):
        return False
    places = answer.places_in(sentence)
    if not places or answer.words[places.start] not in ASKING:
        return False
    return not _offers(places.start, answer) and CONFIRMING.isdisjoint(answer.stem_words[places.start : places.stop])


def _offers(first: int, answer: Answer) -> bool:
    begins = answer.words[first : first + 4]
    return any(begins[: len(words)] == list(words) for words in OFFERING)


def is_supposed(span: Span, answer: Answer) -> bool:
    """Return True if a condition stands before a value in its clause, or a possibility directly before it."""
    place = first_place(span, answer)
    before = answer.places_around(place, answer.clause_at(span[0]), _CONDITION_REACH)
    if any(answer.words[each] in CONDITIONS for each in before if each < place):
        return True
    return not MODALS.isdisjoint(answer.words[max(0, place - _MODAL_REACH) : place])


def is_denied(span: Span, answer: Answer) -> bool:
    """Return True if a negation stands directly before a value."""
    place = first_place(span, answer)
    return any(_denies(each, answer) for each in range(max(0, place - _DENIAL_REACH), place))


def _denies(place: int, answer: Answer) -> bool:
    word = answer.words[place]
    if word in NEGATIONS or word in REPLACED:
        return True
    return word in CONTRACTED_BEFORE_NOT and answer.words[place + 1 : place + 2] == ["t"]


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
    if turn.is_explained_by_another(span, number) or is_asked(sentence, turn):
        return False
    place = first_place(span, answer)
    if not CONTRASTED.isdisjoint(answer.words[max(0, place - 2) : place]):
        return False
    if is_denied(span, answer) or is_supposed(span, answer) or is_of_what_is_near(place, answer.words, answer.clause_starts):
        return False
    evidence = turn.rows[number].evidence
    return not any(sentence[0] <= own[0] < sentence[1] for own in (evidence.spans if evidence else ()))
