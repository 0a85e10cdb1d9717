"""Names of people, practices and places that neither the context nor the user has, and the field that they are another value of.

A name counts only where the words before it tell its part ("with", "in", "called"), or where it shares a word with the record, as two
stations do, and only for a field of which the answer shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.binding.beside import is_led_by_near, is_not_far
from attribution.comparison.contradictions.closed_sets import FAMILIES_OF, is_asked, is_denied, is_supposed, stems_of
from attribution.comparison.contradictions.name_roles import (
    goes_on_about_it,
    is_by_maker,
    is_called,
    is_maker,
    is_nearby,
    is_own_name,
    is_well_told,
)
from attribution.comparison.contradictions.name_runs import Group, Run, groups_of, meant_in, unexplained_runs
from attribution.comparison.contradictions.turn import STREETS, Rival, Turn
from attribution.lexicon.words import CREDENTIALS, TITLES
from attribution.model import FieldType, Span
from attribution.schema.names import name_of
from attribution.schema.terms import shipped_terms
from attribution.text import stem, words, words_of

_SHORTEST = 4
_PLACES = words(
    "city town location area where place destination origin neighborhood neighbourhood region state country county venue to from"
)
_AREAS = words("city town state country county region area")
"""Places that nothing is at, but in."""
_ADDRESSES = words("address street")
_BEFORE_PLACES = words("in near around within at")
_BEFORE_NAMES = words("with at called named recommend suggest recommending suggesting by")
_CLIENTS = words("client patient member subscriber user student resident")
"""Words for those who are seen by somebody: that is no name of theirs."""
_OWN_NAMES = ("name", "full_name", "first_name", "last_name", "display_name")
_COPULAS = ("is", "are", "was", "be")
_FACILITIES = words(
    "airport station hotel center centre hospital terminal clinic practice office salon restaurant house theater theatre museum mall"
)


def fits(run: Run, group: Group, before: Sequence[str], turn: Turn, *, is_address: bool) -> bool:
    """Return True if a run may be of a group: by what the run looks like and by the words before it."""
    if is_address or _is_address(group.leaf):
        return _is_address(group.leaf) and (is_address or _is_said_to_be(run, group, before))
    if is_nearby(group.leaf):
        return is_led_by_near(run.first, turn.answer.words)
    if is_place(group.leaf) and not _is_said_to_be(run, group, before):
        is_facility = turn.answer.words[run.last] in _FACILITIES
        is_at = run.before == "at" and not _AREAS.isdisjoint(words_of(group.leaf))
        is_before = (run.before in _BEFORE_PLACES and not is_at) or stem(run.before) in group.cues
        return is_before and is_facility is not _FACILITIES.isdisjoint(kind_words(group, turn))
    return _is_said_to_be(run, group, before) or _is_named(run, group, turn)


def _is_named(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a run may be a name of a group: by its title, by the words that lead to it or by what is told of it."""
    is_name = turn.rows[group.numbers[0]].field.type is FieldType.NAME
    section = turn.rows[group.numbers[0]].field.section if group.leaf in _OWN_NAMES else ""
    if is_name and (section in _CLIENTS or not _CLIENTS.isdisjoint(words_of(group.leaf.replace("_", " ")))):
        return is_namesake(run, group, turn)
    if is_maker(group.leaf):
        return is_by_maker(run, group.leaf, turn) or stem(run.before) in group.cues or is_namesake(run, group, turn)
    if (is_name and is_titled(run, turn)) or _is_led_to(run, group, turn):
        return True
    return is_namesake(run, group, turn) or is_called(run, group, turn)


def speaks_for_itself(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a run is such a name wherever it stands: a person with a title, a street with its number, "… Airlines"."""
    kinds = {stem(word) for word in kind_words(group, turn)}
    is_named_alike = turn.answer.stem_words[run.last] in kinds and not kinds.isdisjoint(map(stem, words_of(group.leaf)))
    return is_named_alike or _is_address(group.leaf) or is_titled(run, turn)


def is_told_of(run: Run, span: Span, group: Group, turn: Turn) -> bool:
    """Return True if the sentence tells of the record, or of a place such as it describes."""
    if turn.is_of_the_record(span, group.numbers) or goes_on_about_it(span, group.numbers, turn) or is_well_told(run, group, turn):
        return True
    places = turn.answer.places_in(turn.answer.sentence_at(span[0]))
    return not _FACILITIES.isdisjoint(turn.answer.words[places.start : places.stop])


def kind_words(group: Group, turn: Turn) -> frozenset[str]:
    """The last word of each name of a group: Airport, Station, Clinic."""
    values = [words_of(str(turn.rows[number].field.value)) for number in group.numbers]
    return frozenset([value[-1] for value in values if len(value) > 1 and value[-1] not in CREDENTIALS])


def is_place(leaf: str) -> bool:
    """Return True if a field of this name holds a place."""
    return not _PLACES.isdisjoint(words_of(leaf))


def is_variant(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a run is the name itself, shortened or misspelt: it shares a word that is no kind of name, or nearly does."""
    if is_namesake(run, group, turn):
        return False
    values = [words_of(str(turn.rows[number].field.value))[:3] for number in group.numbers]
    own = {word for value in values for word in value if len(word) > _SHORTEST}
    own -= (frozenset() if is_titled_record(group, turn) else kind_words(group, turn)) | STREETS | _FACILITIES
    shown = turn.answer.words[run.first : run.last + 1]
    if tuple(word for word in shown if word not in words_of(group.leaf)) in values:
        return True
    if _is_address(group.leaf) and _numbers(shown) and not any(_numbers(shown) & _numbers(value) for value in values):
        return False
    return any(word in own or any(_is_misspelt(word, each) for each in own) for word in shown)


def _numbers(said: Sequence[str]) -> set[str]:
    return {word for word in said if word.isdigit()}


def is_namesake(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a run has the given name of a person and another surname."""
    shown = [each for each in turn.answer.words[run.first : run.last + 1] if each not in TITLES]
    for number in group.numbers if len(shown) == len(("Sam", "Whitmore")) else ():
        field = turn.rows[number].field
        own = [each for each in words_of(str(field.value)) if each not in TITLES and each not in CREDENTIALS]
        if field.type is FieldType.NAME and len(own) == len(shown) and own[0] == shown[0]:
            return own[1] != shown[1] and not _is_misspelt(shown[1], own[1])
    return False


def is_titled_record(group: Group, turn: Turn) -> bool:
    """Return True if the record writes a title before the name."""
    return any(not set(TITLES).isdisjoint(words_of(str(turn.rows[number].field.value))[:1]) for number in group.numbers)


def is_titled(run: Run, turn: Turn) -> bool:
    """Return True if a run is a person's, by its title."""
    return turn.answer.words[run.first] in TITLES and run.last > run.first


def _is_led_to(run: Run, group: Group, turn: Turn) -> bool:
    """Return True if a word before a run tells that a name follows. A single word is no form of a name of several."""
    value = str(turn.rows[group.numbers[0]].field.value)
    if run.first == run.last and " " in value.strip():
        return False
    return run.before in _BEFORE_NAMES or _is_offered(run, turn)


def _is_said_to_be(run: Run, group: Group, before: Sequence[str]) -> bool:
    """Return True if the field's name and a copula stand before a run: "the doctor is …"."""
    return run.before in _COPULAS and not group.cues.isdisjoint(before)


def _is_offered(run: Run, turn: Turn) -> bool:
    """Return True if a run follows "how about" or "what about"."""
    return turn.answer.words[max(0, run.first - 2) : run.first] in (["how", "about"], ["what", "about"])


def _is_address(leaf: str) -> bool:
    return not _ADDRESSES.isdisjoint(words_of(leaf))


def _is_misspelt(word: str, known: str) -> bool:
    """Return True if two long words begin alike and end with the same letter."""
    is_close = min(len(word), len(known)) > _SHORTEST + 1 and abs(len(word) - len(known)) <= 1
    return is_close and word[:3] == known[:3] and word[-1] == known[-1]


_MOST_ROWS = 200
_TEXTS = (FieldType.NAME, FieldType.FIELD_VALUE, FieldType.SUMMARY)
_LONGEST_VALUE = 120
_REACH = 4
_BEFORE_ADDRESSES = words("at on is")


def names(turn: Turn) -> Iterator[tuple[int, Rival]]:
    """Another name for a field of which the answer shows nothing."""
    runs = list(unexplained_runs(turn))
    if not runs:
        return
    groups = [each for each in groups_of(_candidates(turn), turn) if each.is_open]
    for run in runs if groups else ():
        span = (turn.answer.starts[run.first], turn.answer.word_end(run.last))
        group, because = _meant(run, groups, turn)
        if group and (speaks_for_itself(run, group, turn) or is_told_of(run, span, group, turn)) and _stands(span, turn):
            for number in meant_in(group.numbers, span, turn):
                yield number, Rival(turn.answer.as_written(span), span, because)


def _candidates(turn: Turn) -> list[int]:
    """The rows whose values are names."""
    return [number for kind in _TEXTS for number in turn.of(kind)[:_MOST_ROWS] if _is_name(number, turn)]


def _is_name(number: int, turn: Turn) -> bool:
    """Return True if a value is written as a name is: more words in capitals than not, or a place by the name of its field."""
    field = turn.rows[number].field
    value = str(field.value)
    if len(value) > _LONGEST_VALUE or (is_place(field.leaf) and _is_of_its_class(value, field.leaf)):
        return False
    parts = value.split()
    capitals = [each for each in parts if each[0].isupper() or each[0].isdecimal()]
    if stems_of(value) in FAMILIES_OF:
        return False
    return 2 * len(capitals) > len(parts) or is_place(field.leaf) or _is_address(field.leaf) or is_own_name(field)


def _is_of_its_class(value: str, leaf: str) -> bool:
    """Return True if a value is of a class of which a field of this name has one: the north of an area."""
    terms, stems = shipped_terms(), frozenset(name_of(leaf).stems)
    return any(terms.classes[entry].names & stems for entry, _ in terms.values.get(stems_of(value), ()))


def _meant(run: Run, groups: Sequence[Group], turn: Turn) -> tuple[Group | None, str]:
    """The group that shares a word with the run, or whose part the words before it tell."""
    answer = turn.answer
    shown = set(answer.words[run.first : run.last + 1])
    groups = [each for each in groups if not is_variant(run, each, turn)]
    sharing = [each for each in groups if not shown.isdisjoint(kind_words(each, turn))]
    if len(sharing) == 1:
        return sharing[0], "the same kind of name"
    if all((stem(word),) in FAMILIES_OF for word in run.unknown):
        return None, ""
    is_address = answer.words[run.first][0].isdecimal() and (run.before in _BEFORE_ADDRESSES or not shown.isdisjoint(STREETS))
    before = answer.stem_words[max(0, run.first - _REACH) : run.first]
    fitting = [each for each in sharing or groups if fits(run, each, before, turn, is_address=is_address)]
    if is_titled(run, turn):
        fitting = [each for each in fitting if is_titled_record(each, turn)] or fitting
    fitting = [each for each in fitting if is_namesake(run, each, turn)] or fitting
    fitting = [each for each in fitting if is_own_name(turn.rows[each.numbers[0]].field)] or fitting
    choice = _named_nearest(fitting, before)
    return (choice[0], f"behind ‘{run.before}’" if run.before else "no other name is left") if len(choice) == 1 else (None, "")


def _named_nearest(groups: Sequence[Group], before: Sequence[str]) -> Sequence[Group]:
    """Return those of the groups that the words before a run name, the nearest word first; all where none does."""
    for word in reversed(before):
        if len(groups) > 1:
            groups = [each for each in groups if word in each.cues] or groups
    return groups


def _stands(span: Span, turn: Turn) -> bool:
    answer = turn.answer
    asked = is_asked(answer.sentence_at(span[0]), turn)
    denied = is_denied(span, answer) and not is_not_far(answer.place_at(span[0]), answer.words)
    return not (asked or denied or is_supposed(span, answer))
