"""The year before the hand-written turns: a profile that two leads made active, a drift that was caught, and a new prompt version.

Everything happens by the site's own actions, at the times at which it would have happened. Answers come in every four weeks. Those of
the first weeks are labelled in full, and a profile is fitted to the labels; later answers have confidences. For two weeks of the tenth
month the instruction to cite is missing: the watch over citations raises its alarm after the first, and a lead says why it may rest.
In the last two weeks many answers are of the new prompt version, and in the last one it contradicts records more often than before.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from attribution import canonical_bytes
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.calibration.combinations import ENGINE
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.lifecycle.actions import approve, propose_from
from reviewers.calibration.models import SeenCombination
from reviewers.calibration.shadow import compare_profile
from reviewers.demonstration.cases import WORDS
from reviewers.demonstration.generator import Sentence
from reviewers.demonstration.loader import People, Story
from reviewers.quality.alarms import acknowledge
from reviewers.quality.models import Alarm
from reviewers.quality.watches import update_watches
from reviewers.reports.exports.actions import ask_for
from reviewers.reports.exports.formats.registry import PDF
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.review.items import field_key
from reviewers.review.labels import actions
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import Signature, Verdict
from reviewers.review.queries import load_item
from reviewers.review.queue.filters import Filter
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record

MODEL, USUAL, NEW = "caremate-4", "match v17", "match v18"


_READ: Mapping[str, Any] = json.loads(Path(__file__).with_name("year.json").read_bytes())
_SENTENCES = tuple(Sentence(marker, text, tuple(fields)) for marker, text, fields in _READ["sentences"])
_INSTEAD = {name: Sentence(marker, text, tuple(fields)) for name, (marker, text, fields) in _READ["instead"].items()}
"""Other sentences with the same words, which draw on other fields."""

_LONG, _SHORT = 9, 4
"""Sentences of an answer that is labelled in full, and of another."""

_SHARE_CITED, _SHARE_INSTEAD = 0.45, 0.4
_SHARE_MISPLACED = {_LONG: 0.6, _SHORT: 0.15}
_EACH_UNKNOWN, _EACH_CONTRADICTED, _EACH_WORSE = 41, 59, 3
"""One short answer in so many cites a field that no record has, or contradicts its record: usually, and where a prompt has got worse."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer as a record to ingest, and the fields that it draws on, by section and path."""

    record: dict[str, Any]
    used: frozenset[str]


def write_answer(
    number: int, at: datetime, *, prompt: str = USUAL, is_long: bool, is_instructed: bool = True, is_worse: bool = False
) -> WrittenAnswer:
    """Return an answer; without the instruction to cite it cites nothing."""
    rng, length = random.Random(f"year {number}"), _LONG if is_long else _SHORT  # noqa: S311  # invented text needs no secrecy
    context = _context(rng)
    spoken, chosen = _spoken(context), _chosen(rng, context, length)
    cited = [place == 0 or rng.random() < _SHARE_CITED for place in range(length)]
    said = [each.say(spoken, is_cited=is_instructed and is_cited) for each, is_cited in zip(chosen, cited, strict=True)]
    if is_instructed and rng.random() < _SHARE_MISPLACED[length]:
        said.append(Sentence(rng.choice(_READ["misplaced"]), _READ["pleasantry"]).say(spoken, is_cited=True))
    if is_instructed and not is_long and number % _EACH_UNKNOWN == 0:
        said.append(_READ["unknown"])
    if not is_long and number % (_EACH_WORSE if is_worse else _EACH_CONTRADICTED) == 0:
        said.append(_READ["contradiction"].format_map(spoken))
    record = {
        "id": f"year-{number:03d}",
        "conversation_id": f"HL-{4000 + number}",
        "client_reference": f"HL-{4000 + number}",
        "turn_index": 2,
        "provider": spoken["name"],
        "answered_at": at.isoformat(),
        "model": MODEL,
        "prompt_version": prompt,
        "schema_version": "7",
        "user_text": rng.choice(_READ["questions"]),
        "response": " ".join(said),
        "context": context,
        "citation_instruction": is_instructed,
    }
    return WrittenAnswer(record, frozenset(field for each in chosen for field in each.fields))


def _chosen(rng: random.Random, context: Mapping[str, Any], length: int) -> list[Sentence]:
    """Return some of the sentences in their order, a few of them by the one that may be said instead."""
    chosen = [_SENTENCES[place] for place in sorted(rng.sample(range(len(_SENTENCES)), length))]
    is_home = context["patient_context"]["city"] == context["provider_genome"]["office"]["city"]
    possible = {name: each for name, each in _INSTEAD.items() if is_home or "{home}" not in each.text}
    return [possible[each.marker] if each.marker in possible and rng.random() < _SHARE_INSTEAD else each for each in chosen]


def _spoken(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a record as an answer says them."""
    signal, provider = context["client_signal"], context["provider_genome"]
    return {
        "complaint": signal["chief_complaint"],
        "duration": signal["duration"],
        "goal": signal["goals"][0],
        "name": provider["provider_name"].partition(",")[0],
        "role": provider["required_role"],
        "town": provider["office"]["city"],
        "specialty": provider["specialties"][0],
        "years": str(provider["years_experience"]),
        "language": provider["languages"][1],
        "length": provider["session_length"],
        "home": context["patient_context"]["city"],
        "copay": context["patient_context"]["insurance"]["copay"],
        "other_copay": "$" + str(int(context["patient_context"]["insurance"]["copay"].lstrip("$")) + 45),
        "risk": context["safety"]["risk_level"],
    }


def _context(rng: random.Random) -> dict[str, Any]:
    complaint, (role, credential) = rng.choice(WORDS["complaints"]), rng.choice(WORDS["roles"])
    town = rng.choice(WORDS["cities"])
    risk = rng.choice(WORDS["risks"])
    return {
        "client_signal": {
            "chief_complaint": complaint["name"],
            "severity_level": rng.choice(WORDS["severities"]),
            "duration": f"{rng.randrange(3, 30)} weeks",
            "goals": list(complaint["goals"]),
        },
        "provider_genome": {
            "provider_name": f"{rng.choice(WORDS['first_names'])} {rng.choice(WORDS['last_names'])}, {credential}",
            "required_role": role,
            "specialties": [complaint["specialty"], "adjustment to change"],
            "languages": ["English", rng.choice(WORDS["languages"])],
            "years_experience": rng.randrange(4, 30),
            "session_length": f"{rng.choice((45, 50, 60, 75))} minutes",
            "accepting_new": True,
            "office": {"city": town},
        },
        "patient_context": {
            "city": rng.choice((town, rng.choice(WORDS["cities"]))),
            "insurance": {"copay": f"${rng.randrange(11, 70)}"},
        },
        "safety": {"risk_level": risk},
        "therapeutic_fit": {"fit_reasons": [complaint["specialty"], rng.choice(WORDS["reasons"])]},
    }


WEEKS = 52
_LABELLED = range(3)
"""The weeks whose answers are long, and labelled in full."""

_DRIFTING = range(41, 43)
"""The weeks without the instruction to cite. More than 200 conversations came before: from so many a watch learns its level."""

_NEW_SINCE = 46
"""The first week with answers of the new prompt version. From here on answers of the usual one are long again."""

_MUCH_NEW_SINCE = WEEKS - 2
"""The two weeks with so many answers of the new prompt version that a change between them can be told."""

_AT_FIRST, _USUALLY, _WHILE_DRIFTING, _AFTERWARDS, _NEW_A_WEEK, _MUCH_NEW = 6, 5, 7, 3, 2, 21
"""Answers a week."""

_ENDS = (_LABELLED.stop, *range(6, WEEKS, 4), WEEKS)
"""The weeks before which a batch comes in. One ends after the first week of the drift."""

_MINUTES_APART = 23
_SECONDS_A_REVIEW = 240
_NIGHT, _MORNING = timedelta(hours=2), timedelta(hours=10)
_WHY_ALARM_RESTS = (
    "The template that was released last week leaves out the instruction to cite. It comes back with the release on Friday evening."
    " Answers that come until then show what matching found, and nothing that the model said."
)
_SAYS_NOTHING = "The answer says nothing of it. The same words are the value of another field, or the marker stands behind other words."
_MISSED = "The answer says it, and nothing was found."
_WHY_EXPORTED = "Quarterly audit: one signed review with its evidence."


@dataclass(frozen=True, slots=True)
class Week:
    """A week of the year, from Monday, and its place in the year."""

    number: int
    begin: datetime

    def answers(self, first: int) -> list[WrittenAnswer]:
        """Write the answers of the week, which are the year's from number ``first`` on. All are given on one of its working days."""
        day = self.begin + timedelta(days=2 * self.number % 5, hours=9)
        times = [day + timedelta(minutes=_MINUTES_APART * place) for place in range(self._usual + self._new)]
        is_instructed, is_long = self.number not in _DRIFTING, self.number in _LABELLED or self.number >= _NEW_SINCE
        usual, new = enumerate(times[: self._usual], first), enumerate(times[self._usual :], first + self._usual)
        is_much, is_worse = self.number >= _MUCH_NEW_SINCE, self.number == WEEKS - 1
        return [
            *(write_answer(number, at, is_long=is_long, is_instructed=is_instructed) for number, at in usual),
            *(write_answer(number, at, prompt=NEW, is_long=is_long and not is_much, is_worse=is_worse) for number, at in new),
        ]

    @property
    def _usual(self) -> int:
        if self.number in _LABELLED:
            return _AT_FIRST
        if self.number in _DRIFTING:
            return _WHILE_DRIFTING
        return _USUALLY if self.number < _DRIFTING.start else _AFTERWARDS

    @property
    def _new(self) -> int:
        if self.number >= _MUCH_NEW_SINCE:
            return _MUCH_NEW
        return _NEW_A_WEEK if self.number >= _NEW_SINCE else 0


def weeks_before(now: datetime) -> list[Week]:
    """Return the last 52 weeks that are over."""
    today = now.astimezone(UTC).date()
    monday = datetime.combine(today - timedelta(days=today.weekday()), time(), UTC)
    return [Week(number, monday - timedelta(weeks=WEEKS - number)) for number in range(WEEKS)]


@dataclass(frozen=True, slots=True)
class Batch:
    """The answers of some weeks, which come in on the Monday ``at`` after them."""

    answers: Sequence[WrittenAnswer]
    at: datetime
    shows_drift: bool


def batches_before(now: datetime) -> Iterator[Batch]:
    """Yield the batches of the year before ``now``; the first holds what is labelled."""
    weeks, written = weeks_before(now), 1
    for begin, end in zip([0, *_ENDS], _ENDS, strict=False):
        answers: list[WrittenAnswer] = []
        for week in weeks[begin:end]:
            answers += week.answers(written + len(answers))
        written += len(answers)
        yield Batch(answers, weeks[end - 1].begin + timedelta(weeks=1), shows_drift=end - 1 == _DRIFTING.start)


class Year(Story):
    """A year of answers, and an export of a signed review."""

    length = timedelta(weeks=WEEKS + 2)

    def planned(self, now: datetime) -> Filter:
        """Return the answers of the last weeks under the active profile: they are long, so that a few of them tell how reviewers agree."""
        return Filter(facets={"prompt": frozenset({USUAL})}, since=weeks_before(now)[_NEW_SINCE].begin.date())

    def doubted(self, text: str) -> str:
        """Return a promise of the answer that its record says nothing of."""
        return next(str(words) for words in _READ["unsupported"] if words in text)

    def tell_before(self, people: People, now: datetime) -> None:
        """Take the year's answers in, label the first ones, make a profile active, and catch the drift."""
        first, *later = batches_before(now)
        for (item_id, answer), by in zip(self._ingest(first, people), _taking_turns(people), strict=False):
            _review(item_id, answer, by, first.at + _MORNING)
        _activate(people, first.at + timedelta(days=1))
        for batch in later:
            self._ingest(batch, people)
            if batch.shows_drift:
                _catch_drift(people, batch.at)

    def tell_after(self, people: People, now: datetime) -> None:
        """Have the auditor ask for a signed review as a PDF, which the worker writes."""
        signed = Signature.objects.filter(organisation=people.organisation).order_by("id")
        item_id = signed.values_list("review__snapshot", flat=True)[1]
        ask_for(scope=ReportScope(ScopeKind.ITEM, item_id), form=PDF, reason=_WHY_EXPORTED, by=people.auditor, now=now, at_once=0)

    def _ingest(self, batch: Batch, people: People) -> list[tuple[UUID, WrittenAnswer]]:
        """Ingest a batch, and return its answers with the identifiers of their items."""
        records = [read_record(canonical_bytes(answer.record)) for answer in batch.answers]
        by = user_actor(people.administrator.user_id)
        outcomes = ingest(records=records, organisation=people.organisation, by=by, at=batch.at)
        found = [(outcome.snapshot_id, answer) for outcome, answer in zip(outcomes, batch.answers, strict=True) if outcome.snapshot_id]
        self.draws_on |= {item_id: answer.used for item_id, answer in found}
        return found


def _taking_turns(people: People) -> Iterator[Membership]:
    while True:
        yield from (people.reviewer, people.second_reviewer, people.reviewer)


def _review(item_id: UUID, answer: WrittenAnswer, by: Membership, now: datetime) -> None:
    """Label an answer by what it draws on: what it does not and what was missed one by one, all that is right at once."""
    item = load_item(by, item_id)
    for number, row in enumerate(item.attribution.fields):
        is_used = ".".join(field_key(row)) in answer.used
        if is_used is not row.is_used:
            choice = RowChoice(item_id, item.row.attribution_id, number)
            note = _MISSED if is_used else _SAYS_NOTHING
            actions.save_label(choice=choice, verdict=Verdict.WRONG, note=note, by=by, now=now)
    actions.label_remaining(item_id=item_id, by=by, now=now)
    actions.submit(item_id=item_id, by=by, now=now + timedelta(seconds=_SECONDS_A_REVIEW))


def _activate(people: People, now: datetime) -> None:
    """Have one lead propose a profile of the labels, the worker compare it, and the other lead approve it."""
    organisation = people.organisation
    seen = SeenCombination.objects.get(organisation=organisation, model=MODEL, prompt_version=USUAL, engine=ENGINE)
    profile = propose_from(seen=seen, gathered=build_dataset(seen), by=people.lead, now=now)
    compared = compare_profile(profile_id=profile.pk, organisation_id=organisation.pk, now=now + timedelta(minutes=1))
    approve(profile_id=profile.pk, changed=compared.changed_count, by=people.second_lead, now=now + timedelta(hours=1))


def _catch_drift(people: People, now: datetime) -> None:
    """Watch the days so far, which raises the alarm, and have a lead acknowledge it in the morning."""
    update_watches(organisation_id=people.organisation.pk, now=now + _NIGHT)
    for alarm in Alarm.objects.filter(organisation=people.organisation):
        acknowledge(alarm_id=alarm.pk, reason=_WHY_ALARM_RESTS, by=people.lead, now=now + _MORNING)
