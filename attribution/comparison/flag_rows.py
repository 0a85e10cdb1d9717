"""Verdicts on yes-or-no fields: by phrases that say yes or no, denied or not, and by what the field's name is about."""

from __future__ import annotations

from collections.abc import Iterator

from attribution.assertion import AssertionKind
from attribution.assertion.words import OVER
from attribution.assertion.yes_no import is_denied_without, statements_of, tells_of_its_kind
from attribution.comparison.flag_doubts import (
    Answered,
    is_of_a_relative,
    is_of_many,
    is_of_oneself,
    is_offered,
    is_opposing,
    is_state,
    is_told_of_a_relative,
    is_unsure,
    is_yet_to_be,
)
from attribution.comparison.results import Results
from attribution.comparison.resumed import resumed_behind
from attribution.comparison.turn import NEEDED, NO_WORDS, Turn
from attribution.lexicon.words import STOPPING, TIMES
from attribution.model import Span, contains
from attribution.schema.names import WORDS_OF_TYPE
from attribution.schema.target import Target
from attribution.text import stem, stems, words

_NOT_SAID = frozenset({AssertionKind.CORRECTED, AssertionKind.QUOTED})
_DOUBTED = frozenset({AssertionKind.HYPOTHETICAL, AssertionKind.OTHER_SUBJECT})
"""Assertions that may be meant of the record after all, and do not contradict it."""

_STOPPING = frozenset(map(stem, STOPPING))
_ENDED = ("has ", "have ", "had ")
"""Beginnings of words that deny by saying that something is over: "has gone away"."""
_NEGATIONS = words("not t no never")
_PASSING = OVER | {"", "went", "came"}
"""Denials of a statement that are no word, or tell that something is over: that may be somebody else's word."""
_WHEN = ("last ", "earlier ", "in ", "back in ", "a ", "recently")
_ENDED_THEN = words("ran lost left fell shut quit gave took dropped turned went let")
"""Verbs in the past that tell of a change."""
_SAID = (AssertionKind.AFFIRMED, AssertionKind.NEGATED)
_TESTS = words("test tests screen screening culture swab panel scan")
"""Words of names whose text is what came of a test: that it was done says neither yes nor no."""
_SAYING_LITTLE = stems("provider clinic practice office doctor therapist patient client member user plan service care visit new")
"""Words of names that tell whose a field is, and not what it asks."""
_PARTING = frozenset(",;:—()")
"""Signs that part words which are no phrase together: "Pets? No, pets are welcome"."""
_CELLS, _MOST_CELLS = {"yes": True, "no": False}, 100
_BESIDE = 4
"""The most words between the name of a subject and a phrase that says yes or no of it."""
_DENYING = NO_WORDS | words("t never nothing nobody neither nor stopped")
"""Words of a clause by which a bare verb behind it says that the thing is so after all."""
_EACH, _TIMES_WITHIN = words("a an per each every in you he she they we i it"), 4
"""Words behind "once" by which it counts nothing, or by a period, and the words behind an event among which its number is told."""
_BEFORE = 5
"""The most words before a phrase at which a verb that ends something changes its meaning."""


def judge_flag(target: Target, turn: Turn, results: Results) -> None:
    """Say of a yes-or-no field whether its value is found or contradicted."""
    value = bool(target.answer)
    row = turn.given[target.row]
    tabled = list(_by_table(target, turn))
    phrased = [] if tabled else [_as_resumed(each, turn) for each in (*_by_phrases(target, turn), *_by_resumption(target, turn))]
    stated = [] if is_state(target) else list(_by_subject(target, turn))
    told = tabled or [_as_resumed(each, turn) for each in _without_phrases(stated, phrased, turn)]
    is_clearly_other = any(each.is_yes is not value and not each.is_doubted for each in told)
    told_clearly = [each for each in told if not each.is_doubted or (each.is_yes is value and not is_clearly_other)]
    said = told_clearly if told else phrased
    agreeing = [each.span for each in said if each.is_yes is value]
    opposing = [each.span for each in said if each.is_yes is not value and is_opposing(each, target, turn)]
    other = _other_count(agreeing, target, turn) if target.kind == "number" else None
    if other is not None:
        results.contradict(target, other, turn.answer.as_written(other), "is another number")
    elif agreeing and row.evidence is None:
        results.found(target, agreeing)
    elif row.evidence is not None and not agreeing:
        results.keep(target, [])
    if opposing and not agreeing:
        results.contradict(target, opposing[0], str(not value).lower(), "the answer says the opposite")


def _other_count(agreeing: list[Span], target: Target, turn: Turn) -> Span | None:
    """Return where the answer says that something happened another number of times than recorded: "has fallen twice"."""
    said = turn.answer.words
    for span in agreeing:
        last = turn.words_at(span)[1]
        places = turn.answer.places_around(last - 1, turn.answer.sentence_at(span[0]))
        for place in range(last, min(last + _TIMES_WITHIN, places.stop)):
            if place in turn.answer.clause_starts:
                break
            count = TIMES.get(said[place]) if _EACH.isdisjoint(said[place + 1 : place + 2]) else None
            if count is not None:
                return turn.answer.span(place) if count not in target.values else None
    return None


def _without_phrases(told: list[Answered], phrased: list[Answered], turn: Turn) -> list[Answered]:
    """Return what is told, with a phrase of the lexicon instead of a word that alone says otherwise: "the pregnancy test was negative"."""
    turned = [phrase for phrase in phrased if any(_turns(phrase, each, turn) for each in told)]
    return [each for each in told if not any(_turns(phrase, each, turn) for phrase in turned)] + turned


def _turns(phrase: Answered, told: Answered, turn: Turn) -> bool:
    """Return True if a phrase says otherwise than a word inside it, or right beside it, that only names the subject: nothing denies it."""
    if phrase.is_yes is told.is_yes or told.is_denial:
        return False
    if contains(phrase.span, told.span):
        return True
    start, end = sorted((phrase.span, told.span))
    between = turn.answer.text[start[1] : end[0]]
    return len(between.split()) <= _BESIDE and _PARTING.isdisjoint(between) and ". " not in f"{between} "


def _by_phrases(target: Target, turn: Turn) -> Iterator[Answered]:
    """The lexicon's phrases for the field: a denied yes is a no, and a no is not denied. Words that only name the subject say neither."""
    entry = target.name.yes_no
    subject = turn.profile.registry.leaf_name(target.field.leaf).subject
    named = subject.topics[0].keys if subject.topics else frozenset()
    hits = turn.yes_no.get(entry, ()) if entry is not None else ()
    reach = denied = 0
    for first, last, meaning in hits:
        if last <= reach or first < denied:
            continue
        reach = last
        if named.issuperset(turn.answer.stem_words[first:last]) or (target.entity and turn.reading.is_stray(first, last, target)):
            continue
        span = turn.answer.span(first, last - first)
        kind = turn.kind_for(span, target)
        is_told = kind in _SAID or (kind is AssertionKind.HISTORICAL and _is_change(span, turn))
        if not is_told or _is_said_otherwise(first, last, target, turn):
            continue
        is_yes = (entry, True) in meaning.answers
        denied = denied if is_yes or _NEGATIONS.isdisjoint(turn.answer.words[first:last]) else last
        is_denied = kind is AssertionKind.NEGATED and NO_WORDS.isdisjoint(turn.answer.words[first:last])
        if turn.answer.words[first] == "without":
            is_denied = is_denied_without(first, turn.answer)
        says_yes = is_yes is not is_denied
        is_other = says_yes is not target.answer
        if is_other and (tells_of_its_kind(first, last, subject, turn.answer) or is_offered(span, turn)):
            continue
        if _is_about(first, target, turn):
            yield Answered(says_yes, span)


def _is_change(span: Span, turn: Turn) -> bool:
    """Return True if a day in the past is when something ended for good, as in "her license expired last spring"."""
    is_then = turn.assertion(span).trigger_text.lower().startswith(_WHEN)
    return is_then and any(word.endswith("ed") or word in _ENDED_THEN for word in turn.answer.as_written(span).lower().split())


def _is_said_otherwise(first: int, last: int, target: Target, turn: Turn) -> bool:
    """Return True if a phrase is part of a name or of two clauses, tells what is needed or a relative has, or follows what ends it."""
    if not NEEDED.isdisjoint(turn.answer.words[last : last + 3]) and NEEDED.isdisjoint(target.name.words):
        return True
    if is_of_oneself(first, target, turn) or is_told_of_a_relative(first, target, turn):
        return True
    if not _STOPPING.isdisjoint(turn.answer.stem_words[max(0, first - _BEFORE) : first]):
        return True
    span = turn.answer.span(first, last - first)
    return any(contains(name, span) for name in turn.names_shown) or not _PARTING.isdisjoint(turn.answer.as_written(span))


def _is_about(place: int, target: Target, turn: Turn) -> bool:
    """Return True if a sentence speaks of what a name asks, if the name says more than the phrase: "covered" in ``ortho_covered``.

    What is named only behind the clause of a phrase is something else.
    """
    more = _more_of(target, turn)
    if more.isdisjoint(target.name.stems):
        return True
    answer, offset = turn.answer, turn.answer.starts[place]
    sentence = answer.places_around(place, answer.sentence_at(offset))
    clause = answer.places_around(place, answer.clause_at(offset))
    return not more.isdisjoint(answer.stem_words[sentence.start : clause.stop])


def _more_of(target: Target, turn: Turn) -> frozenset[str]:
    """Return what a name says more than the phrase that asks: "ortho" of ``ortho_covered``."""
    more = target.name.yes_no_of - turn.profile.registry.generic_label_stems - _SAYING_LITTLE
    return more - WORDS_OF_TYPE or more


def _as_resumed(said: Answered, turn: Turn) -> Answered:
    """Return what a later clause of the sentence makes of a statement: "doesn't take walk-ins, according to her, but it does"."""
    first, last = turn.words_at(said.span)
    found = [each for each in resumed_behind(last, turn.answer) if each.is_pronoun and each.is_of_the_one_before(last, turn.answer)]
    if not found:
        return said
    return said._replace(is_yes=found[-1].is_yes is not _is_opposite(said.is_yes, first, last, turn), span=found[-1].span)


def _is_opposite(is_yes: bool, first: int, last: int, turn: Turn) -> bool:  # noqa: FBT001  # as it is called above
    """Return True if a phrase says no without denying anything, as "closed to new clients" does."""
    clause = turn.answer.places_around(first, turn.answer.clause_at(turn.answer.starts[first]))
    return not is_yes and _DENYING.isdisjoint(turn.answer.words[clause.start : last])


def _by_resumption(target: Target, turn: Turn) -> Iterator[Answered]:
    """Return what is said of a field's own thing by a bare verb, behind what is said of another: "the exercises did"."""
    more, entry = _more_of(target, turn), target.name.yes_no
    for first, last, meaning in turn.yes_no.get(entry, ()) if entry is not None and more else ():
        for each in resumed_behind(last, turn.answer):
            if not (each.is_pronoun or more.isdisjoint(turn.answer.stem_words[each.subject.start : each.subject.stop])):
                opposite = _is_opposite((entry, True) in meaning.answers, first, last, turn)
                yield Answered(each.is_yes is not opposite, each.span)


def _by_table(target: Target, turn: Turn) -> Iterator[Answered]:
    """Return what cells of a table say in one word, where the head of their row or column names the field."""
    cells, heads_of, answer = turn.reading.line.cells, turn.reading.line.heads, turn.answer
    named = set(target.name.stems) - WORDS_OF_TYPE
    for place in [place for word in _CELLS if cells for place in answer.places.get(word, ())[:_MOST_CELLS]]:
        cell = cells.get(place)
        if cell is None or cell in (cells.get(place - 1), cells.get(place + 1)):
            continue
        heads = (heads_of.get(cell._replace(row=0), ()), heads_of.get(cell._replace(column=0), ()))
        is_named = any(not named.isdisjoint(stems) for stems in heads)
        if is_named and not (target.entity and turn.reading.is_stray(place, place + 1, target)):
            yield Answered(_CELLS[answer.words[place]], answer.span(place))


def _by_subject(target: Target, turn: Turn) -> Iterator[Answered]:
    """Return what the answer states of what the field's name is about, unless it is taken back, supposed or said of others."""
    for each in statements_of(turn.given[target.row].field, turn.answer, turn.profile):
        kind = turn.kind_for(each.span, target)
        place, last = turn.words_at(each.span)
        is_left_to_replies = bool(each.question) and each.is_affirmed is not target.answer
        is_only_named = isinstance(target.field.value, str) and not (each.negation or each.reply or _TESTS.isdisjoint(target.name.words))
        is_gone = kind is AssertionKind.NEGATED and each.is_affirmed and turn.assertion(each.span).trigger_text.lower().startswith(_ENDED)
        is_taken_back = (
            is_gone or is_unsure(each.span, target, turn) or kind in _NOT_SAID or is_of_many(each.span, kind, turn)
        ) and each.negation in _PASSING
        if (
            is_taken_back
            or (kind is AssertionKind.HYPOTHETICAL and is_yet_to_be(each.span, turn))
            or is_only_named
            or (each.is_general and each.is_affirmed is not target.answer)
            or is_left_to_replies
            or is_of_a_relative(each.span, target, turn)
            or is_told_of_a_relative(place, target, turn)
            or is_of_oneself(place, target, turn)
            or (target.entity and turn.reading.is_stray(place, last, target))
            or (each.is_affirmed is not target.answer and is_offered(each.span, turn))
        ):
            continue
        is_denied = kind is AssertionKind.NEGATED
        is_plain = not (each.negation or each.reply or each.question)
        is_doubted = (is_denied and is_plain) or (bool(each.negation) and not is_denied) or kind in _DOUBTED
        yield Answered(each.is_affirmed, each.span, is_doubted, is_denial=not is_plain)
