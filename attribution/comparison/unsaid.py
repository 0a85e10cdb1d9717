"""Fields whose value stands nowhere in the answer: its label denied, or another name, code, look-alike or value of its class instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from attribution.assertion import AssertionKind
from attribution.comparison.names import core_of, is_alike, is_near, is_same
from attribution.comparison.results import Results
from attribution.comparison.standing import is_of_allergies
from attribution.comparison.turn import ENOUGH, NO_WORDS, UNLIMITED, Turn
from attribution.comparison.wording import other_word
from attribution.lexicon.words import ROLES
from attribution.mentions.mention import Mention, MentionKind
from attribution.mentions.names import NameRun, find_names
from attribution.model import FieldType, Span
from attribution.schema.target import Target
from attribution.schema.terms import shipped_terms
from attribution.text import stem, words, words_of

_TELLING = 0.45
_DENIED_WITHIN = 3
_LIMITED_WITHIN = 6
_GOES_ON = words("to of from with for at")
"""Behind a denied label, what says that only a part of it is denied."""
_RECORDED = words("saved recorded listed file record chart entered documented set selected chosen stored")
"""Behind a denied label, what says that the record is meant: "no pharmacy is saved". A list is denied without it."""
_RECORDED_WITHIN = 4
_ABOUT = words(
    "information info details data listed on yet change changes increase increases is was available if when unless until other than"
)
"""Behind a denied name of an amount, what says that it is not known, or that there is none only at times."""
_NO = frozenset(("no", "without", "no known", "not any", "none", "doesn't have any", "don't have any", "sin", "lacks", "any"))
_NAMING, _NOT = (
    words("named chosen picked listed set added recorded given provided selected entered designated saved"),
    words("not never t"),
)
"""Words that say that somebody has told a thing to the record, and those that deny it before them."""
_HAVING = words("have has had got take takes taking use uses using on see sees seeing wear wears")
"""Verbs that say, denied, that there is none of a thing."""
_POSSESSIVES = words("your her his their my")
_DETERMINERS = _POSSESSIVES | words("a an any")
_THERE_IS_NOT = (["isn", "t"], ["aren", "t"])
_OF_THE_RECORD = (["on", "file"], ["on", "record"], ["for", "you"], ["for", "her"], ["for", "him"], ["for", "them"])
_ENDING = words("yet now right at currently anymore and but so or as because since")
"""Words behind a thing that say no more of it."""
_QUALIFYING = words("""
    known current preferred documented reported active recorded listed other drug food medication
    emergency primary specific any such personal new history of environmental seasonal regular
    prescribed chosen designated home existing prior
""")
"""Words that may stand between a denial and the name that it denies."""
_NONE = words("none nkda nil no n/a nothing [] free 0 0.0 $0") | {"none known", "no known allergies", "none on file", "none reported"}
_ALLERGENS = words("allergen allergens drug drugs medication medications medicine substance agent name")
_SORTS = words("drug drugs medication medications medicine food environmental seasonal")
"""Words of the names of fields that hold what somebody is allergic to, and sorts of it."""
_MISSPELT = 0.8
_BETTER = 0.1
_MEDICAL_ROLES = words("""
    pcp cardiologist neurologist oncologist dermatologist endocrinologist pharmacist midwife gynecologist urologist
    orthopedist rheumatologist gastroenterologist pulmonologist nephrologist ophthalmologist optometrist podiatrist dietitian
    hygienist aide supervisor
""")
_COPULAS = words("is was s es")
_SHORTEST_PREDICATE, _OWN = 2, 0.3
_FULL_NAME = 2
_FULL = re.compile(r"[A-Z][\w'’-]{1,40}(?: [A-Z][\w'’.-]{0,40}){1,3}")
_BESIDE = 0.6
_LONGEST_NAME, _LONGEST_CODE, _FEWEST_DIGITS, _LONG_WORD = 80, 16, 3, 7
_CODE = re.compile(r"(?<![\w.-])(?=\w{0,16}\d)(?=\w{0,16}[A-Za-z])[A-Za-z0-9]{5,16}(?![\w-])", re.ASCII)
"""A word of letters and digits."""
_OF_CODES = words("reference confirmation code booking tracking claim case ticket member policy authorization postcode zip number id")
"""Words of names whose values are codes."""
_MOST_CODES, _MOST_PARTS = 256, 2
"""The most codes of an answer that are looked at, and the most words of a code: "3 out of 5" is none."""
_CHARACTERS_A_STEP = 100
"""Characters that are looked through for a code in a step: up to sixteen signs are compared at each."""
_STEPS_OF_CODE, _STEPS_OF_WORD = 2, 4


def contradict_unsaid(target: Target, turn: Turn, results: Results) -> None:
    """Contradict a field where something else is in its place; what denies a field that has none is what shows it."""
    if _is_denied(target, turn, results) or not isinstance(target.field.value, str):
        return
    for seek in (_other_name, other_code, _look_alike, other_word):
        if found := seek(target, turn):
            span, because = found
            results.contradict(target, span, turn.answer.as_written(span), because)
            return


def denied_label(target: Target, turn: Turn) -> Span | None:
    """Return where the name of an amount is denied: "there is no copay"."""
    if not turn.denies:
        return None
    for first, last in _telling_labels(target, turn):
        span = turn.answer.span(first, last - first)
        behind = turn.answer.words[last] if last < len(turn.answer.words) else ""
        is_all = behind not in _ABOUT or (behind == "on" and _is_of_what_is_limited(last, target, turn))
        if (_is_denied_at(span, last, turn) and is_all and not behind.isdigit()) or _is_missing(first, last, target, turn):
            return span
    return None


def _is_of_what_is_limited(place: int, target: Target, turn: Turn) -> bool:
    """Return True if what a field limits is named soon behind a word: "no limit on your visits"."""
    limited = frozenset(target.name.stems) if target.name.is_limit else frozenset()
    return not limited.isdisjoint(turn.answer.stem_words[place : place + _LIMITED_WITHIN])


def without_limit(target: Target, turn: Turn) -> Span | None:
    """Return where what a field limits is said to have no limit: "you have unlimited visits"."""
    counted = frozenset(target.name.stems)
    for place in [place for word in UNLIMITED if target.name.is_limit for place in turn.answer.places.get(word, ())]:
        sentence = turn.answer.places_around(place, turn.answer.sentence_at(turn.answer.starts[place]))
        span = turn.answer.span(place)
        if not counted.isdisjoint(turn.answer.stem_words[sentence.start : sentence.stop]) and turn.is_affirmed(span):
            return span
    return None


Found = tuple[Span, str] | None


def _is_denied(target: Target, turn: Turn, results: Results) -> bool:
    """The field's name denied right before it: "no known allergies", "no pharmacy is saved"."""
    if not turn.denies:
        return False
    value = target.field.value
    is_none = isinstance(value, (str, float)) and str(value).strip().lower() in _NONE
    if not is_none and (free := _is_free_of_allergies(target, turn)):
        results.contradict(target, free, f"no {turn.answer.as_written(free)}", "is denied")
        return True
    for first, last in _telling_labels(target, turn):
        span = turn.answer.span(first, last - first)
        if is_missing := _is_missing(first, last, target, turn):
            results.contradict(target, span, f"no {turn.answer.as_written(span)}", "is denied")
        if is_missing:
            return True
        if _is_denied_at(span, last, turn):
            if is_none:
                results.found(target, [span])
            elif target.kind == "list" or not _RECORDED.isdisjoint(turn.answer.words[last : last + _RECORDED_WITHIN]):
                stated = f"{turn.assertion(span).trigger_text.lower()} {turn.answer.as_written(span)}"
                results.contradict(target, span, stated, "is denied")
            else:
                continue
            return True
    return False


def _is_missing(first: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if an answer says that there is nothing of a field's name: "you haven't chosen a pharmacy yet", "isn't on a statin"."""
    words = turn.answer.words
    place = first - (first > 0 and words[first - 1] in _DETERMINERS)
    if words[max(0, place - 2) : place] in _THERE_IS_NOT and _is_said_plainly(first, last, turn):
        return not target.name.is_negative
    verb, before = words[place - 1 : place], words[max(0, place - _DENIED_WITHIN) : place - 1]
    if place == first or _NOT.isdisjoint(before) or target.name.is_negative:
        return False
    return not _NAMING.isdisjoint(verb) or (not _HAVING.isdisjoint(verb) and _is_said_plainly(first, last, turn))


def _is_said_plainly(first: int, last: int, turn: Turn) -> bool:
    """Return True if nothing is told of a thing but that there is none: "you don't have a therapist", and not "a therapist who"."""
    span = turn.answer.span(first, last - first)
    places = turn.answer.places_around(first, turn.answer.clause_at(span[0]))
    is_told = turn.assertion(span).kind in (AssertionKind.NEGATED, AssertionKind.AFFIRMED)
    behind = turn.answer.words[last : last + 2]
    is_of_theirs = behind[:1] == ["for"] and not _POSSESSIVES.isdisjoint(behind[1:])
    ends = last >= places.stop or behind[0] in _ENDING or behind[0] in _RECORDED or is_of_theirs or behind in _OF_THE_RECORD
    return is_told and ends and not turn.answer.is_question(turn.answer.sentence_at(span[0]))


def _is_free_of_allergies(target: Target, turn: Turn) -> Span | None:
    """Return where an answer says that there are no allergies, where the record names one: "no known drug allergies"."""
    if not (is_of_allergies(target) and _ALLERGENS.issuperset(target.name.words)):
        return None
    for place in turn.answer.stems.get(stem("allergies"), ()) if isinstance(target.field.value, str) else ():
        span = turn.answer.span(place)
        sorts = _SORTS.intersection(turn.answer.words[max(0, place - _DENIED_WITHIN) : place])
        if sorts.issubset(target.name.words) and _is_denied_at(span, place + 1, turn):
            return span
    return None


def _telling_labels(target: Target, turn: Turn) -> Iterator[tuple[int, int]]:
    """Return the places of the whole name of a field, if it has several words, and of its labels."""
    stems = list(target.name.stems)
    for first in turn.answer.stems.get(stems[0], ()) if len(stems) > 1 else ():
        if turn.answer.stem_words[first : first + len(stems)] == stems:
            yield first, first + len(stems)
    for item, weight in target.labels.items():
        if weight >= _TELLING:
            yield from turn.reading.labels.places.get(item, ())


def _is_denied_at(span: Span, last: int, turn: Turn) -> bool:
    kind, trigger, text = turn.assertion(span)
    if kind is not AssertionKind.NEGATED or trigger is None or trigger[1] > span[0] or text.lower() not in _NO:
        return False
    between = turn.answer.text[trigger[1] : span[0]].lower().split()
    last_no = max((place for place, word in enumerate(between) if word in NO_WORDS), default=-1)
    between = between[last_no + 1 :]
    behind = turn.answer.words[last] if last < len(turn.answer.words) else ""
    return len(between) <= _DENIED_WITHIN and _QUALIFYING.issuperset(between) and behind not in _GOES_ON


def _other_name(target: Target, turn: Turn) -> Found:
    """Another name: nearly the same, or with a title where the context has one person with a title."""
    value = str(target.field.value)
    if not value[:1].isupper() or len(value) > _LONGEST_NAME or not _is_written_as_name(value):
        return None
    recorded = core_of(value)
    for run in _runs_for(recorded, target, turn) if recorded else ():
        if is_same(run.words, recorded) or turn.is_known(run.span) or not turn.is_affirmed(run.span):
            continue
        place, last = turn.words_at(run.span)
        near = is_near(core_of(" ".join(run.words)), recorded) and not turn.reading.is_stray(place, last, target)
        if near or _stands_for(run, target, turn) or _is_named_by_label(run, place, last, target, turn):
            return run.span, "is another name"
    return None


def _is_written_as_name(value: str) -> bool:
    """Return True if more words of a value have capitals than not: "We stayed at Elm House" is a sentence."""
    parts = value.split()
    return 2 * sum(part[0].isupper() or part[0].isdigit() for part in parts) >= len(parts)


def _runs_for(recorded: tuple[str, ...], target: Target, turn: Turn) -> Iterator[NameRun]:
    """The names of the answer that share a word with a recorded one, and for a name's field those with a title."""
    is_name = target.field.type is FieldType.NAME
    if not is_name and turn.answer.text.isascii() and turn.answer.places.keys().isdisjoint(recorded):
        return
    names = turn.reading.names
    if names is None:
        names = turn.reading.names = {}
        for run in find_names(turn.answer.text):
            for word in {*run.words, ""} if run.is_titled else set(run.words):
                names.setdefault(word, []).append(run)
    keys: Iterable[str] = recorded
    if is_name:
        keys = names if turn.reading.labels.reach(target) else (*recorded, "")
    runs = {run.span: run for word in keys for run in names.get(word, ())}
    for span in sorted(runs) if turn.answer.affords(2 * len(runs)) else ():
        yield runs[span]


def _stands_for(run: NameRun, target: Target, turn: Turn) -> bool:
    """Return True if a name that nobody on record has stands where the field's is expected."""
    if not run.is_titled or target.field.type is not FieldType.NAME:
        return False
    titled = turn.reading.titled
    alike = any(SequenceMatcher(None, said, word).ratio() >= _MISSPELT for said in run.words for word in core_of(str(target.field.value)))
    return titled == {str(target.field.value)} and not alike


def _is_named_by_label(run: NameRun, place: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if a full name stands right beside the label of a name's field: "Your doctor is Maria Lopez"."""
    if target.field.type is FieldType.NAME and _is_predicate(run, place, target, turn):
        return True
    is_person = target.field.type is FieldType.NAME and not ROLES.isdisjoint(target.name.words)
    if not is_person or len(run.words) < _FULL_NAME or turn.reading.is_stray(place, last, target):
        return False
    weight, is_labelled = turn.reading.labels.affinity(Mention(MentionKind.VALUE, (), place, last, run.span), target)
    return is_labelled and weight >= _BESIDE


def _is_predicate(run: NameRun, place: int, target: Target, turn: Turn) -> bool:
    """Return True if a name follows the field's own with nothing but "is" between: "Your pharmacy is Walgreens"."""
    words = turn.answer.words
    if run.is_first or place < _SHORTEST_PREDICATE or words[place - 1] not in _COPULAS:
        return False
    ends = (last for item, weight in target.labels.items() if weight >= _OWN for _, last in turn.reading.labels.places.get(item, ()))
    return any(last == place - 1 for last in ends) and words[max(0, place - 4)] not in ("if", "when")


def exchanged_name(target: Target, turn: Turn) -> Span | None:
    """Another field's person where this field is named, more than that one's: "Dr. Shah is your doctor and Dr. Ortiz your cardiologist"."""
    if not _is_of_a_role(target) or not turn.reading.labels.reach(target):
        return None
    others = [other for other in turn.others(target) if _is_of_a_role(other)]
    for other in others if turn.answer.affords(1 + len(others)) else ():
        for span in _exchanged_spans(target, other, turn):
            return span
    return None


def _exchanged_spans(target: Target, other: Target, turn: Turn) -> Iterator[Span]:
    evidence, own = turn.given[other.row].evidence, turn.given[target.row].evidence
    if evidence is None or own is None or other.entity or target.entity or other.field.value == target.field.value:
        return
    for one, its in zip(evidence.spans[:1], own.spans[:1], strict=False):
        here, there = _named_by(one, target, turn), _named_by(one, other, turn)
        mine, theirs = _named_by(its, target, turn), _named_by(its, other, turn)
        is_better = here >= ENOUGH and here > there + _BETTER
        is_told = turn.assertion(one).kind in (AssertionKind.AFFIRMED, AssertionKind.OTHER_SUBJECT)
        if is_better and ((theirs >= ENOUGH and theirs > mine + _BETTER) or _is_said_to_be(one, target, turn)) and is_told:
            yield one


def _is_said_to_be(span: Span, target: Target, turn: Turn) -> bool:
    """Return True if a name is the subject of "is your" and the field's own name: "Dr. Moritz is your therapist"."""
    last = turn.words_at(span)[1]
    said = turn.answer.words[last : last + _SHORTEST_PREDICATE]
    return len(said) == _SHORTEST_PREDICATE and said[0] in _COPULAS and turn.reading.labels.names(target, last + 1)


def _named_by(span: Span, target: Target, turn: Turn) -> float:
    place, last = turn.words_at(span)
    return turn.reading.labels.affinity(Mention(MentionKind.VALUE, (), place, last, span), target).weight


def _is_of_a_role(target: Target) -> bool:
    value = target.field.value
    is_name = target.field.type is FieldType.NAME or (isinstance(value, str) and _FULL.fullmatch(value) is not None)
    return is_name and not (ROLES | _MEDICAL_ROLES).isdisjoint(target.name.words)


def other_code(target: Target, turn: Turn) -> Found:
    """Another code of the same form: F41.0 for F41.1, stage 3b for 3a."""
    value = str(target.field.value).strip()
    form = _form_of(value) if len(value) <= _LONGEST_CODE and len(value.split()) <= _MOST_PARTS else None
    if form is None:
        return None
    if not _OF_CODES.isdisjoint(target.name.words) and (named := _named_code(value, target, turn)):
        return named, "is another code, and stands where this one is named"
    is_long = sum(map(str.isdigit, value)) >= _FEWEST_DIGITS and value[0].isalpha()
    for span in _codes_of(form, turn):
        place, last = turn.words_at(span)
        weight, is_labelled = turn.reading.labels.affinity(Mention(MentionKind.VALUE, (), place, last, span), target)
        if not (is_long or (is_labelled and weight >= ENOUGH)) or turn.is_known(span) or not turn.is_affirmed(span):
            continue
        if not turn.reading.is_stray(place, last, target):
            return span, "is another code of the same form"
    return None


def _named_code(value: str, target: Target, turn: Turn) -> Span | None:
    """Return where a code of letters and digits as long as the record's stands beside the field's name."""
    for span in _codes_of(_CODE, turn) if _CODE.fullmatch(value) else ():
        said = turn.answer.as_written(span).lower()
        is_cut = said in value.lower() or value.lower() in said
        if is_cut or abs(len(said) - len(value)) > 1 or turn.is_known(span) or not turn.is_affirmed(span):
            continue
        place, last = turn.words_at(span)
        weight, is_labelled = turn.reading.labels.affinity(Mention(MentionKind.VALUE, (), place, last, span), target)
        if is_labelled and weight >= ENOUGH and not turn.reading.is_stray(place, last, target):
            return span
    return None


def _codes_of(form: re.Pattern[str], turn: Turn) -> Sequence[Span]:
    """The first texts of a form in the answer, which is read once for each form, as far as the steps for that are left."""
    codes, answer = turn.codes, turn.answer
    if form not in codes:
        is_read = answer.has_digits and answer.affords(len(answer.text) // _CHARACTERS_A_STEP)
        codes[form] = [match.span() for match in islice(form.finditer(answer.text), _MOST_CODES)] if is_read else ()
    return codes[form] if answer.affords(_STEPS_OF_CODE * len(codes[form])) else ()


@lru_cache(maxsize=4_096)
def _form_of(value: str) -> re.Pattern[str] | None:
    """Texts of the same form, if it is one of digits and letters: digits for digits, letters for the letters behind them."""
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return None
    parts: list[str] = []
    for sign in value:
        if sign.isdigit():
            parts.append(r"\d")
        elif sign.isalpha() and r"\d" in parts:
            parts.append("[A-Za-z]")
        else:
            parts.append(r"\s" if sign.isspace() else re.escape(sign))
    return re.compile(r"(?<![\w.])" + "".join(parts) + r"(?![\w]|\.\d)", re.IGNORECASE)


def _is_in_label(place: int, turn: Turn) -> bool:
    """Return True if a word is part of the name of a field: the entrance of "entrance fee"."""
    return any(hit.meaning.is_label and hit.first <= place < hit.last for hit in turn.reading.hits)


def _look_alike(target: Target, turn: Turn) -> Found:
    """A word that looks much like the value: hydralazine for hydroxyzine."""
    words = words_of(str(target.field.value))
    if len(words) != 1 or len(words[0]) < _LONG_WORD or target.field.type is FieldType.ENUM:
        return None
    alike = turn.reading.long_words(_LONG_WORD).get(words[0][:3], ())
    for word in alike if turn.answer.affords(_STEPS_OF_WORD * len(alike)) else ():
        is_other = (bool(target.classes) and (stem(word),) in shipped_terms().values) or _is_in_label(turn.answer.places[word][0], turn)
        if not is_other and is_alike(word, words[0]) and stem(word) != stem(words[0]):
            span = turn.answer.span(turn.answer.places[word][0])
            if turn.is_affirmed(span) and not turn.is_known(span):
                return span, "looks like the value and is not"
    return None
