"""Another value that takes the place of the record's without a label: what was left for it, and the only one that there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.assertion import AssertionKind
from attribution.binding.beside import is_of_what_is_near
from attribution.binding.values import names_the_field
from attribution.comparison.directions import is_time_of_day
from attribution.comparison.frames import is_general, is_only_possible, is_said_of_it, told_with
from attribution.comparison.ownership import is_owned_by_another
from attribution.comparison.turn import Turn
from attribution.mentions.mention import Mention
from attribution.model import Span
from attribution.schema.target import ASKING, Target
from attribution.schema.terms import shipped_terms, stems_of
from attribution.text import spaced, stems, words, words_of

_SEVERAL = 2
_ARTICLES = ("a", "an")
_BEING = frozenset({("you", "have"), ("you", "are"), ("she", "is"), ("he", "is"), ("she", "s"), ("he", "s"), ("she", "has"), ("he", "has")})
_COPULAS = words("is was s")
_AFTER_PREDICATE = words("who with in at from by for")
"""Words behind which more is told of what somebody is: "a psychiatrist who can prescribe"."""
_WITHIN = 9
"""The most words between a former value and the value that takes its place."""
_ONLY = words("only exclusively solely strictly")
_LIMITED = words("limited restricted confined")
_NARROWING = _ONLY | _LIMITED
_SERVING = words(
    "see sees seen seeing treat treats serve serves take takes work works accept accepts meet meets offer offers does speak speaks speaking"
)
_LEADING = _SERVING | words("with by to for in on over through via to are is and practice sessions visits")
"""Words that may stand between "only" and the word that it limits: the verb and its preposition."""
_DENYING = words("not no non never without") | stems("twice two three four five six every other half")
"""Words that make another value of one that they stand before."""
_GOES_ON = words("and but so or while though although because since")
_CONCLUDING = words("so but which because since although though")
"""Words behind a comma by which nothing is listed any more."""
_ONLY_WITHIN = 4
_CLOSED = frozenset({"weekday", "language", "age_group", "visit_format", "us_state", "insurer"})
"""Classes of which a list names all that there are: "licensed in Oregon and Idaho" says more than the list of Oregon alone."""
_JOINING, _POSSESSIVE = words("and or as well plus also"), words("your his her their the a an")
_SERVED = words("ages age population populations groups group genders formats clients patients served seen modalities languages")
"""Words of a name by which its values are those whom or what a provider serves."""
_BESIDE_OTHERS = words("""
    booking_channel car_type contact_preference credential cuisine day_part diet direction dose_form dosing_frequency event_type
    game_platform genre language meal_timing medical_specialty medicine month payment_method pharmacy_service player_perspective
    profession route season show_time therapist_style transport venue_type weekday
""")
"""Classes whose values are also told of what is near, offered or meant beside the record's own."""
_DESCRIBING = words("cuisine venue_type")
"""Classes of which a value counts where several other fields of the thing are told with it."""
_CALLED = words("called named")
_MODIFIERS = 2
"""The most words between an article and the word for what something is: "is a small quiet park"."""
_COMPARING = words("unlike than instead rather like")
_MEDICINE, _DOSE_WITHIN = "medicine", 5
"""The class of medicines, and within how many characters behind one its dose begins."""
_DEGREES = stems("very slightly somewhat much highly quite fairly rather extremely really")


def moved_on(target: Target, turn: Turn, past: Sequence[Span]) -> Span | None:
    """The value that a field's own has changed to: "went from weekly to monthly", "was severe in May but is moderate now"."""
    before = [span for span in past if turn.assertion(span).kind is AssertionKind.HISTORICAL]
    for span in before if target.kind != "list" else ():
        place, last = turn.words_at(span)
        for mention in _others(target, turn):
            its_class = shipped_terms().classes[int(mention.unit)]
            is_here = last <= mention.first < last + _WITHIN and _are_in_one_sentence(place, mention.first, turn)
            if is_here and its_class.is_exclusive and not _is_anothers(mention, target, turn):
                return mention.span
    return None


def only_other(target: Target, turn: Turn) -> Span | None:
    """The only value that there is of what a provider serves or offers: "sees adults only", where the record has children."""
    if target.field.section in ASKING or (target.kind != "list" and _SERVED.isdisjoint(target.name.words)):
        return None
    if target.name.is_negative or turn.answer.places.keys().isdisjoint(_NARROWING):
        return None
    own = {stem for entry, step in target.classes for stem in stems_of(shipped_terms().classes[entry].values[step])}
    for mention in _others(target, turn):
        its_class = shipped_terms().classes[int(mention.unit)]
        is_kin = not own.isdisjoint(stems_of(its_class.values[int(str(mention.values[0]))]))
        if not is_kin and is_limited_to(mention, turn) and not _is_anothers(mention, target, turn):
            return mention.span
    return None


def only_one(target: Target, turn: Turn) -> Span | None:
    """The one element of a list of several which is said to be the only one."""
    if target.kind != "list" or len(target.classes) < _SEVERAL or _SERVED.isdisjoint(target.name.words):
        return None
    if turn.answer.places.keys().isdisjoint(_NARROWING):
        return None
    own = [
        mention
        for entry, steps in target.steps.items()
        for mention in turn.values.of_class.get(entry, ())
        if mention.values[0] in steps and turn.is_affirmed(mention.span)
    ]
    if len({(each.unit, each.values[0]) for each in own}) != 1 or turn.reading.is_stray(own[0].first, own[0].last, target):
        return None
    return own[0].span if is_limited_to(own[0], turn) else None


def one_more(target: Target, turn: Turn) -> Span | None:
    """Return what is said of a list's thing beside its elements, where the list names all that there are: "speaks English and German"."""
    if target.kind != "list" or target.name.is_negative or not turn.answer.affords(len(turn.values.all)):
        return None
    for mention in _others(target, turn):
        name = shipped_terms().classes[int(mention.unit)].name
        is_asked = name == "weekday" and not ASKING.isdisjoint(words_of(spaced(target.field.section)))
        if name not in _CLOSED or is_asked or _is_anothers(mention, target, turn):
            continue
        if not _is_near_its_own(mention, target) and any(is_said_of_it(each, target, turn) for each in _joined(mention, turn)):
            return mention.span
    return None


def _is_near_its_own(mention: Mention, target: Target) -> bool:
    """Return True if an ordered class has what is said right beside a value of the list: young adults beside adults."""
    its_class = shipped_terms().classes[int(mention.unit)]
    said = int(str(mention.values[0]))
    return its_class.is_ordered and any(str(entry) == mention.unit and abs(step - said) <= 1 for entry, step in target.classes)


def _joined(mention: Mention, turn: Turn) -> Iterator[Mention]:
    """Yield a mention and those of its class before it that are said in one breath with it: "English, Polish or German"."""
    yield mention
    before = [each for each in turn.values.of_class[mention.unit] if each.last <= mention.first]
    for each in reversed(before):
        between = turn.answer.words[each.last : mention.first]
        if not _JOINING.issuperset(between) or not _are_in_one_sentence(each.first, mention.first, turn):
            return
        yield each
        mention = each


def said_to_be(target: Target, turn: Turn) -> Span | None:
    """Return another value of the field's class that the answer says somebody is or has, and nothing more: "She is an LMFT."."""
    if target.kind == "list" or target.name.is_negative or not isinstance(target.field.value, str):
        return None
    for mention in _others(target, turn):
        its_class = shipped_terms().classes[int(mention.unit)]
        if (
            (its_class.is_exclusive or target.is_all or not turn.is_shown(target))
            and any(says(mention, target, turn) for says in (_is_predicate, _is_said_of_the_name, is_said_of_it, _is_told_with_it))
            and not (its_class.is_ordered and is_a_shade(mention, target, its_class.values))
            and not _is_a_part(mention, target, its_class.values)
            and not _has_a_rival(mention, target, turn)
            and not _is_anothers(mention, target, turn)
        ):
            return mention.span
    return None


def _is_told_with_it(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a sentence tells another value of a field's thing beside the value: "a routine referral was sent to cardiology"."""
    its_class = shipped_terms().classes[int(mention.unit)]
    if its_class.name == _MEDICINE and _has_its_dose(mention, target, turn):
        return True
    if its_class.name in _DESCRIBING and _is_told_of_it(mention, target, turn):
        return True
    if its_class.is_ordered or its_class.name in _BESIDE_OTHERS or turn.are_common(mention.first, mention.last):
        return False
    if its_class.names.isdisjoint(target.name.stems) or is_general(mention.first, turn) or is_only_possible(mention.first, turn):
        return False
    return turn.shows_object(told_with(mention.first, turn), target, mention.span)


def _is_told_of_it(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a sentence tells of several fields of a field's thing, and the value is not what is beside it or may be there."""
    if _is_near(mention, turn) or turn.is_in_the_question(mention.span):
        return False
    if is_general(mention.first, turn) or is_only_possible(mention.first, turn) or not _COMPARING.isdisjoint(turn.answer.places):
        return False
    is_called = not _CALLED.isdisjoint(turn.answer.words[mention.last : mention.last + 1]) and turn.is_its_name(mention.last + 1, target)
    return is_called or turn.count_of_object(told_with(mention.first, turn), target, mention.span) > 1


def _is_near(mention: Mention, turn: Turn) -> bool:
    return is_of_what_is_near(mention.first, turn.answer.words, turn.answer.clause_starts)


def _has_its_dose(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if right behind another medicine stands the dose that the record has beside the field: "buspirone 150 mg"."""
    end = turn.answer.word_end(mention.last - 1)
    return turn.shows_object((end, end + _DOSE_WITHIN), target, mention.span)


def _is_a_part(mention: Mention, target: Target, values: Sequence[str]) -> bool:
    """Return True if the record says what is said and more: "home" beside "home with home health"."""
    said = set(stems_of(values[int(str(mention.values[0]))]))
    recorded = [set(stems_of(values[step])) for entry, step in target.classes if str(entry) == mention.unit]
    return any(said < each and _DENYING.isdisjoint(each - said) for each in recorded)


def _has_a_rival(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the words show another field of the same thing, or may be of one that nothing shows."""
    mentions = list(turn.mentions_at(mention.first, mention.last))
    its_class = shipped_terms().classes[int(mention.unit)]
    is_open = its_class.is_ordered or not its_class.is_exclusive
    kin = [each for every in mentions for each in turn.values.with_class(every.unit) if is_open or turn.given[each.row].evidence is None]
    shown = turn.others(target) if turn.is_known(mention.span) else []
    kin += [each for each in shown if (evidence := turn.given[each.row].evidence) and mention.span in evidence.spans]
    return any(other is not target and other.entity in ("", target.entity) for other in kin)


def _is_predicate(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if a pronoun and a verb of being or having stand directly before a mention, and the clause ends behind it.

    Of one whom the user asks for, what goes on is said of somebody else: "He is a man who likes to fish".
    """
    before = turn.answer.words[max(0, mention.first - 3) : mention.first]
    if before and before[-1] in _ARTICLES:
        before = before[:-1]
    if len(before) < _SEVERAL or (before[-2], before[-1]) not in _BEING:
        return False
    if mention.last == len(turn.answer.words):
        return True
    behind = turn.answer.text[turn.answer.word_end(mention.last - 1) : turn.answer.starts[mention.last]].strip()
    if behind:
        return behind[0] in ".!" or (behind == "," and turn.answer.words[mention.last] in _CONCLUDING)
    return turn.answer.words[mention.last] in _AFTER_PREDICATE and target.field.section not in ASKING


def _is_said_of_the_name(mention: Mention, target: Target, turn: Turn) -> bool:
    """Return True if the record's own person is said to be a mention: "Ms. Marin is a psychiatrist", "Rosa, who is divorced,"."""
    said, place = turn.answer.words, mention.first
    if _is_near(mention, turn):
        return False
    if place and said[place - 1] in _POSSESSIVE and _is_beside_its_name(mention.last, target, turn):
        return True
    if shipped_terms().classes[int(mention.unit)].name in _DESCRIBING:
        place = _start_of_description(place, turn)
    place -= place > 0 and said[place - 1] in _POSSESSIVE
    verb = place - 1
    if place > 0 and turn.is_its_name(verb, target):
        return "," in turn.answer.text[turn.answer.word_end(verb) : turn.answer.starts[place]] and _ends_at(mention.last, turn)
    if place < _SEVERAL or said[verb] not in _COPULAS:
        return False
    subject = verb - 1 - (said[verb - 1] == "who")
    return turn.is_its_name(subject, target) and (_ends_at(mention.last, turn) or said[mention.last] in _AFTER_PREDICATE)


def _start_of_description(place: int, turn: Turn) -> int:
    """Return the word behind the article that leads to a place over a few words, which describe what follows; else the place."""
    for before in range(place, max(0, place - 1 - _MODIFIERS), -1):
        if turn.answer.words[before - 1] in _ARTICLES:
            return before
    return place


def _is_beside_its_name(place: int, target: Target, turn: Turn) -> bool:
    """Return True if the name of the record's own person begins right behind what somebody is: "your mother, Dana Ruiz"."""
    if place >= len(turn.answer.words) or not turn.is_its_name(place, target):
        return False
    return turn.answer.text[turn.answer.word_end(place - 1) : turn.answer.starts[place]].strip() in ("", ",")


def is_limited_to(mention: Mention, turn: Turn) -> bool:
    """Return True if nothing but a mention is said to be so, and what follows limits nothing else, as in "by video only on Fridays"."""
    said, first, last = turn.answer.words, mention.first, mention.last
    if turn.answer.places.keys().isdisjoint(_NARROWING):
        return False
    if last < len(said) and said[last] in _ONLY and _are_in_one_sentence(first, last, turn):
        return _ends_at(last + 1, turn)
    return _is_led_by_only(first, turn) and _ends_at(last, turn)


def _others(target: Target, turn: Turn) -> Iterator[Mention]:
    """Return what is asserted of the field's classes beside its own values, as far as it may be of the field's entity."""
    for entry in dict.fromkeys(str(entry) for entry, _ in target.classes):
        mentions = turn.values.of_class.get(entry, ())
        for mention in mentions if turn.answer.affords(len(mentions)) else ():
            is_own = (int(mention.unit), mention.values[0]) in target.classes or names_the_field(mention, target, turn.answer)
            if (
                not is_own
                and not is_wider(mention, target)
                and not is_time_of_day(mention, target)
                and turn.is_affirmed(mention.span)
                and not turn.reading.is_stray(mention.first, mention.last, target)
            ):
                yield mention


def is_wider(mention: Mention, target: Target) -> bool:
    """Return True if what is said is wider than what is recorded, and holds for it: Asian food of a Thai kitchen."""
    kin = shipped_terms().classes[int(mention.unit)].kin
    return bool(kin) and any((step, mention.values[0]) in kin for step in target.steps.get(mention.unit, ()))


def _is_anothers(mention: Mention, target: Target, turn: Turn) -> bool:
    bond = turn.owner.get(id(mention))
    return (bond is not None and bond.target is not target) or is_owned_by_another(mention.first, mention.last, target, turn)


def _are_in_one_sentence(one: int, other: int, turn: Turn) -> bool:
    return turn.reading.line.sentence[one] == turn.reading.line.sentence[other]


def _is_led_by_only(place: int, turn: Turn) -> bool:
    said = turn.answer.words
    for before in range(place - 1, max(-1, place - 1 - _ONLY_WITHIN), -1):
        if not _are_in_one_sentence(before, place, turn):
            return False
        if said[before] in _ONLY:
            return not said[before - 1 : before] or said[before - 1] not in ("not", "t", "isnt", "doesnt")
        if said[before] in _LIMITED:
            return said[before + 1] == "to"
        if said[before] not in _LEADING:
            return False
    return False


def _ends_at(place: int, turn: Turn) -> bool:
    """Return True if a clause ends before a word."""
    answer = turn.answer
    if place >= len(answer.words) or answer.words[place] in _GOES_ON:
        return True
    return any(sign in ".,;:!?)\n" for sign in answer.text[answer.word_end(place - 1) : answer.starts[place]])


def is_a_shade(mention: Mention, target: Target, values: Sequence[str]) -> bool:
    """Return True if what is said is the next step and only stronger or weaker in words: "very low" beside "low"."""
    said = int(str(mention.values[0]))
    return any(
        str(entry) == mention.unit and abs(step - said) == 1 and _differ_in_degree(stems_of(values[step]), stems_of(values[said]))
        for entry, step in target.classes
    )


def _differ_in_degree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if two values share a word and differ in words of degree. "Moderately severe" is a step of its own."""
    shared = set(one) & set(other)
    return bool(shared) and _DEGREES.issuperset((set(one) | set(other)) - shared)
