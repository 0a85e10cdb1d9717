"""Generates invented turns in any number, of the shape and size of real ones.

The same number and seed always give the same turn. A client and a provider last for one conversation, the answer for one turn. Four in a
hundred answers contradict their record, twice as many have another fault that a guardrail names, and one uses nothing of the record.
Nobody in them exists; telephone numbers end in 555-01xx.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from reviewers.demonstration.cases import GeneratedCase, generate_case

_FEWEST_SENTENCES, _MOST_SENTENCES = 6, 14
_SHARE_CITED = 0.5
_SHARE_WITHOUT_INSTRUCTION = 0.08

Spoken = Mapping[str, str]


class Sentence(NamedTuple):
    """A sentence, its marker, which belongs after the first clause, where ``|`` is, and the fields that it draws on, if they are needed."""

    marker: str
    text: str
    fields: tuple[str, ...] = ()

    def say(self, spoken: Spoken, *, is_cited: bool) -> str:
        """Return the sentence with the values of a record, and with its marker if it cites."""
        return self.text.format_map(spoken).replace("|", f" [[{self.marker}]]" if is_cited else "")


_WORDS: Mapping[str, Any] = json.loads(Path(__file__).with_name("sentences.json").read_bytes())
"""Sentences by what they are about, and the words of users. Names that begin with ``other`` are values that contradict the record."""

_PROVIDER, _PRACTICAL, _CLOSING = ([Sentence(*each) for each in _WORDS[name]] for name in ("provider", "practical", "closing"))
_SENTENCES = (*(Sentence(*each) for each in _WORDS["greeting"]), *_PROVIDER, *_PRACTICAL, *_CLOSING)
_CONTRADICTIONS = [Sentence(*each) for each in _WORDS["contradictions"]]
_FIT = _CLOSING[1]


@dataclass(slots=True)
class TurnDraft:
    """A turn being written. A fault changes it before it becomes a record."""

    user_text: str
    model: str
    prompt_version: str
    is_instructed: bool
    sentences: list[str] = field(default_factory=list)
    completeness: dict[str, float] = field(default_factory=dict)


def draft(rng: random.Random, case: GeneratedCase) -> TurnDraft:
    """Return one turn of a case."""
    spoken = case.spoken
    turn = TurnDraft(
        user_text=rng.choice(_WORDS["openers"]) + rng.choice(_WORDS["requests"]).format_map(spoken) + rng.choice(_WORDS["endings"]),
        model=rng.choice(_WORDS["models"]),
        prompt_version=rng.choice(_WORDS["prompts"]),
        is_instructed=rng.random() >= _SHARE_WITHOUT_INSTRUCTION,
    )
    share = _SHARE_CITED if turn.is_instructed else 0
    turn.sentences = [each.say(spoken, is_cited=rng.random() < share) for each in _chosen(rng)]
    turn.completeness = {section: rng.randrange(60, 101) / 100 for section in case.context}
    fault = rng.choices(_FAULTS, cum_weights=_FAULT_WEIGHTS)[0]
    if fault:
        fault(turn, rng, spoken)
    return turn


def _chosen(rng: random.Random) -> list[Sentence]:
    """Return some of the sentences in their order."""
    count = rng.randint(_FEWEST_SENTENCES, _MOST_SENTENCES)
    return [_SENTENCES[place] for place in sorted(rng.sample(range(len(_SENTENCES)), count))]


def _append_marker(turn: TurnDraft, marker: str) -> None:
    place = len(turn.sentences) // 2
    turn.sentences[place] += f" [[{marker}]]"


def _contradict(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    """Replace the sentence on a field by one with a value that contradicts the record."""
    rival = rng.choice(_CONTRADICTIONS)
    right = next(each for each in _SENTENCES if each.marker == rival.marker).text.partition("{")[0]
    turn.sentences = [each for each in turn.sentences if not each.startswith(right)]
    turn.sentences.append(rival.say(spoken, is_cited=turn.is_instructed))


def _cite_unknown(turn: TurnDraft, rng: random.Random, _: Spoken) -> None:
    _append_marker(turn, rng.choice(_WORDS["unknown"]))


def _cite_absent(turn: TurnDraft, rng: random.Random, _: Spoken) -> None:
    _append_marker(turn, rng.choice(_WORDS["absent"]))


def _cite_twice(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PROVIDER)
    turn.sentences += [sentence.say(spoken, is_cited=True), f"As I said, that counts for a lot [[{sentence.marker}]]."]


def _cite_withheld(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    turn.completeness["therapeutic_fit"] = rng.randrange(10, 45) / 100
    turn.sentences.append(_FIT.say(spoken, is_cited=True))


def _cite_malformed(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PRACTICAL)
    turn.sentences.append(sentence.text.format_map(spoken).replace("|", " " + rng.choice(_WORDS["malformed"]).format(sentence.marker)))


def _cite_inside_quotation(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    turn.sentences.append(f"You could say: “{rng.choice(_PROVIDER).say(spoken, is_cited=True)}”")


def _echo(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    sentence = rng.choice(_PRACTICAL)
    turn.user_text += f" [[{sentence.marker}]]"
    turn.sentences.append(sentence.say(spoken, is_cited=True))


def _cite_everything(turn: TurnDraft, rng: random.Random, spoken: Spoken) -> None:
    turn.sentences = [each.say(spoken, is_cited=True) for each in _chosen(rng)]
    _append_marker(turn, "CS:gad7_score")


def _use_nothing(turn: TurnDraft, _random: random.Random, _spoken: Spoken) -> None:
    turn.sentences = list(_WORDS["small_talk"])


Fault = Callable[[TurnDraft, random.Random, Spoken], None]

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
