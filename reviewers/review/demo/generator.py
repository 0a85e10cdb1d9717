"""Generates invented turns in any number, of the shape and size of real ones.

The same number and seed always give the same turn. A client and a provider last for one conversation, the answer for one turn. Four in a
hundred answers contradict their record, twice as many have another fault that a guardrail names, and one uses nothing of the record.
Nobody in them exists; telephone numbers end in 555-01xx.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any, NamedTuple

from reviewers.review.demo.cases import GeneratedCase, generate_case

_FEWEST_SENTENCES, _MOST_SENTENCES = 6, 14
_SHARE_CITED = 0.5
_SHARE_WITHOUT_INSTRUCTION = 0.08

Spoken = Mapping[str, str]


class Sentence(NamedTuple):
    """A sentence that draws on a field, and its marker, which belongs after the first clause, where ``|`` is."""

    marker: str
    text: str


_GREETING = (
    Sentence("CS:chief_complaint", "Thank you for telling me about {complaint}|; it takes some courage to say that to a stranger."),
    Sentence("CS:symptoms", "What you describe, {symptom} and {other_symptom}|, is tiring, and anybody would feel {state} by now."),
    Sentence("CS:duration", "You have lived with this for {duration}|, long enough to stop hoping that it will pass by itself."),
    Sentence("CS:phq9_score", "Your PHQ-9 came out at {phq9}|, and I take it as a starting point against which we can measure later."),
)
_PROVIDER = (
    Sentence(
        "PG:provider_name",
        "The person I have in mind is {name}|, a {role} in {town} whose approach is close to what you asked for.",
    ),
    Sentence("PG:specialties", "Much of the work there is with {specialty}|, so you will not have to explain the basics first."),
    Sentence("PG:modalities", "The main method is {modality}|, done in small steps that the two of you agree on before each visit."),
    Sentence(
        "PG:years_experience",
        "With {years} years of experience|, there will be few situations that come as a surprise in that room.",
    ),
    Sentence("PG:languages", "Visits can be held in English or {language}|, whichever lets you say the difficult things more easily."),
)
_PRACTICAL = (
    Sentence("PG:fee_range", "The fee is {fee} a visit|, and {plan} is billed by the office, so that you need not send in forms."),
    Sentence(
        "PC:insurance.copay",
        "What remains for you is the copay of {copay}|, collected at the desk or by card, as you like it better.",
    ),
    Sentence("PG:session_length", "Each visit takes {length}|, and the first one is mostly questions, so you need not prepare anything."),
    Sentence("PG:next_opening", "The next opening is {opening} at {time}|, and I can ask the office to hold it while you think it over."),
    Sentence(
        "PG:accepting_new",
        "The office {accepting}|, and the desk answers at {phone} on weekdays if you want to speak with somebody.",
    ),
    Sentence(
        "PG:offers_telehealth",
        "As to the form of the visits, this provider {telehealth}|, which matters on days when travel is too much.",
    ),
    Sentence(
        "PG:wheelchair_accessible",
        "The building at {street} {wheelchair}|, and there is a quiet corner to wait in, off the entrance.",
    ),
)
_CLOSING = (
    Sentence(
        "SF:risk_level",
        "From your answers I read that the risk is {risk} at present|, and we look at it again each time you write.",
    ),
    Sentence("TF:fit_score", "Put as a number, the fit is {fit}|, mostly for {specialty}, and less for the distance you have to travel."),
    Sentence("CS:goals", "Your own goal, {goal}|, is a good one to bring along, because both of you can see when it has been reached."),
    Sentence("PC:suggested_questions", "One thing helps me to choose well, and a short answer is enough. {question}|"),
)
_SENTENCES = (*_GREETING, *_PROVIDER, *_PRACTICAL, *_CLOSING)
_CONTRADICTIONS = (
    Sentence("SF:risk_level", "Since your risk is {other_risk} at the moment|, the first free visit is soon enough."),
    Sentence("TF:fit_score", "The overall fit is {other_fit}|, which is among the better ones on the list."),
    Sentence("PG:fee_range", "The fee is {other_fee} a visit|, payable on the day."),
    Sentence("PG:next_opening", "The next opening is {other_opening}|, in the morning."),
    Sentence("PG:accepting_new", "The practice {not_accepting} this season|."),
)
_FIT = _CLOSING[1]
_UNKNOWN = ("CS:emotional_tone", "PG:bedside_manner", "PC:commute_minutes", "SF:risk_score_v2", "TF:chemistry", "XX:notes")
_ABSENT = ("CS:onset_date", "PC:prior_therapy", "PC:medications", "SF:flags", "TF:alternatives")
_MALFORMED = ("({})", "[[{}]", "{{{{{}}}}}", "[[ {} ]]")
_SMALL_TALK = (
    "I am an assistant, not a person, and somebody from the team reads along when you ask for it.",
    "You can tell me as much or as little as you wish, stop at any moment, and come back on another day.",
    "Nothing that you have written so far commits you to anything.",
    "Where would you like to begin?",
)
_OPENERS = ("hi, ", "hey ", "hello. ", "", "", "ok so ", "sorry for the late reply, ", "thx. ")
_REQUESTS = (
    "who would you suggest and what does it cost",
    "is there someone who can see me soon",
    "i dont know where to start with this",
    "can it be on {weekday}s, i work the other days",
    "why this person and not another one?",
    "my doctor said i should talk to somebody about {complaint}",
    "does {plan} cover it",
    "how long would i have to wait",
)
_ENDINGS = ("", " pls", " thank you", "??", " im not good at this", " i have about an hour free each week", " asap", " no rush")
_MODELS = ("caremate-3", "caremate-4", "caremate-4", "caremate-4-mini")
_PROMPTS = ("match v17", "match v17", "match v18", "match v18", "match v18", "match v16", "follow-up v2")


@dataclass(slots=True)
class Draft:
    """A turn being written. A fault changes it before it becomes a record."""

    user_text: str
    model: str
    prompt_version: str
    is_instructed: bool
    sentences: list[str] = field(default_factory=list)
    completeness: dict[str, float] = field(default_factory=dict)


def draft(rng: random.Random, case: GeneratedCase) -> Draft:
    """Return one turn of a case."""
    spoken = case.spoken
    turn = Draft(
        user_text=rng.choice(_OPENERS) + rng.choice(_REQUESTS).format_map(spoken) + rng.choice(_ENDINGS),
        model=rng.choice(_MODELS),
        prompt_version=rng.choice(_PROMPTS),
        is_instructed=rng.random() >= _SHARE_WITHOUT_INSTRUCTION,
    )
    share = _SHARE_CITED if turn.is_instructed else 0
    turn.sentences = [_say(each, spoken, is_cited=rng.random() < share) for each in _chosen(rng)]
    turn.completeness = {section: rng.randrange(60, 101) / 100 for section in case.context}
    fault = rng.choices(_FAULTS, cum_weights=_FAULT_WEIGHTS)[0]
    if fault:
        fault(turn, rng, spoken)
    return turn


def _chosen(rng: random.Random) -> list[Sentence]:
    """Return some of the sentences in their order."""
    count = rng.randint(_FEWEST_SENTENCES, _MOST_SENTENCES)
    return [_SENTENCES[place] for place in sorted(rng.sample(range(len(_SENTENCES)), count))]


def _say(sentence: Sentence, spoken: Spoken, *, is_cited: bool) -> str:
    return sentence.text.format_map(spoken).replace("|", f" [[{sentence.marker}]]" if is_cited else "")


def _append_marker(turn: Draft, marker: str) -> None:
    place = len(turn.sentences) // 2
    turn.sentences[place] += f" [[{marker}]]"


def _contradict(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    """Replace the sentence on a field by one with a value that contradicts the record."""
    rival = rng.choice(_CONTRADICTIONS)
    right = next(each for each in _SENTENCES if each.marker == rival.marker).text.partition("{")[0]
    turn.sentences = [each for each in turn.sentences if not each.startswith(right)]
    turn.sentences.append(_say(rival, spoken, is_cited=turn.is_instructed))


def _cite_unknown(turn: Draft, rng: random.Random, _: Spoken) -> None:
    _append_marker(turn, rng.choice(_UNKNOWN))


def _cite_absent(turn: Draft, rng: random.Random, _: Spoken) -> None:
    _append_marker(turn, rng.choice(_ABSENT))


def _cite_twice(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PROVIDER)
    turn.sentences += [_say(sentence, spoken, is_cited=True), f"As I said, that counts for a lot [[{sentence.marker}]]."]


def _cite_withheld(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    turn.completeness["therapeutic_fit"] = rng.randrange(10, 45) / 100
    turn.sentences.append(_say(_FIT, spoken, is_cited=True))


def _cite_malformed(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PRACTICAL)
    turn.sentences.append(sentence.text.format_map(spoken).replace("|", " " + rng.choice(_MALFORMED).format(sentence.marker)))


def _cite_inside_quotation(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    turn.sentences.append(f"You could say: “{_say(rng.choice(_PROVIDER), spoken, is_cited=True)}”")


def _echo(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PRACTICAL)
    turn.user_text += f" [[{sentence.marker}]]"
    turn.sentences.append(_say(sentence, spoken, is_cited=True))


def _cite_everything(turn: Draft, rng: random.Random, spoken: Spoken) -> None:
    turn.sentences = [_say(each, spoken, is_cited=True) for each in _chosen(rng)]
    _append_marker(turn, "CS:gad7_score")


def _use_nothing(turn: Draft, _random: random.Random, _spoken: Spoken) -> None:
    turn.sentences = list(_SMALL_TALK)


Fault = Callable[[Draft, random.Random, Spoken], None]

_FAULTS: Sequence[Fault | None] = (
    None,
    *(_contradict, _cite_unknown, _cite_absent, _cite_twice, _cite_withheld),
    *(_cite_malformed, _cite_inside_quotation, _echo, _cite_everything, _use_nothing),
)
_FAULT_WEIGHTS = tuple(accumulate((87, 4, 2, 1, 1, 1, 1, 0.5, 0.5, 1, 1)))


# Records.


BEGIN = datetime(2025, 4, 1, 6, tzinfo=UTC)
"""The time of the answer to turn 0. Turn 1,000,000 is answered in March 2026."""

STEP = timedelta(seconds=30)
TURNS_PER_CONVERSATION = 4
_COMPLETENESS_THRESHOLD = 0.5


def generate(count: int, *, seed: int = 7, first: int = 1) -> Iterator[dict[str, Any]]:
    """Yield ingest records number ``first`` to ``first + count - 1``. Each depends only on its number and ``seed``."""
    for number in range(first, first + count):
        yield _record(number, seed)


def _record(number: int, seed: int) -> dict[str, Any]:
    conversation, place = divmod(number - 1, TURNS_PER_CONVERSATION)
    begun_on = (BEGIN + conversation * TURNS_PER_CONVERSATION * STEP).date()
    case = generate_case(_random(f"{seed} conversation {conversation}"), begun_on)
    turn = draft(_random(f"{seed} turn {number}"), case)
    reference = f"GEN-{conversation + 1:06d}"
    return {
        "id": f"generated-{number:06d}",
        "conversation_id": reference,
        "turn_index": 2 * place + 2,
        "client_reference": reference,
        "provider": case.spoken["name"],
        "answered_at": (BEGIN + number * STEP).isoformat(),
        "model": turn.model,
        "prompt_version": turn.prompt_version,
        "schema_version": "7",
        "user_text": turn.user_text,
        "response": " ".join(turn.sentences),
        "context": case.context,
        "completeness": turn.completeness,
        "completeness_threshold": _COMPLETENESS_THRESHOLD,
        "citation_instruction": turn.is_instructed,
    }


def _random(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311  # invented text needs no secrecy
