"""Alarms: raised by the worker's own path, at most as often as promised without a reason, and laid to rest by a lead."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation, Role
from reviewers.ledger.models import AuditEvent
from reviewers.quality import watches
from reviewers.quality.models import Acknowledgement, Alarm, Watch, Watched
from reviewers.quality.watches import update_watches
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.web.models import uuid7
from tests.factories import NOW, make_item, make_member, make_record, sign_in
from tests.markup import read_markup
from tests.quality.cited import GREEN, OPPOSED, QUOTED, RED, UNQUOTED, UNSUPPORTED, WITHHELD
from tests.review.plans.planning import run_blind

FIRST = date(2026, 3, 2)
LATER = datetime(2026, 12, 1, tzinfo=UTC)
GOOD, UNKNOWN = (
    "Your risk is elevated [[SF:risk_level]] for now, as far as anybody can say.",
    "Your risk is elevated [[SF:risk_levle]] for now.",
)


@pytest.fixture(autouse=True)
def fewer(monkeypatch):
    """Levels are learned from fewer conversations, so that tests need not make hundreds."""
    monkeypatch.setattr(watches, "LEARNS_FROM", 20)


def come(organisation: Organisation, day: int, good: int, bad: int = 0, **changes) -> None:
    """So many answers on a day, each of a conversation of its own."""
    at = datetime(2026, 3, 2, 12, tzinfo=UTC) + timedelta(days=day)
    responses = [GOOD] * good + [UNKNOWN] * bad
    records = [
        make_record(**{"response": text, "answered_at": at.isoformat(), "conversation_id": f"{day}-{number}"} | changes)
        for number, text in enumerate(responses)
    ]
    ingest(records=[read_record(json.dumps(record).encode()) for record in records], organisation=organisation, by=SYSTEM, at=NOW)


def alarm_of(organisation: Organisation) -> Alarm:
    """Twenty good conversations, and after them nothing but unknown fields."""
    come(organisation, 0, 30)
    come(organisation, 1, 0, 30)
    assert update_watches(organisation_id=organisation.pk, now=LATER) == 2
    return Alarm.objects.get(figure="unknown")


def test_only_the_watches_of_the_days_own_models_are_read(organisation):
    """There may be as many models as answers: reading all watches for each day took hours."""
    for day in range(6):
        come(organisation, day, 1, model=f"model-{day}")
    update_watches(organisation_id=organisation.pk, now=datetime(2026, 3, 7, 12, tzinfo=UTC))

    with CaptureQueriesContext(connection) as made:
        update_watches(organisation_id=organisation.pk, now=LATER)

    read = [each["sql"] for each in made if each["sql"].startswith("SELECT") and '"quality_watch"."wealths"' in each["sql"]]
    assert len(read) == 1
    assert "model-5" in read[0]
    assert set(Watch.objects.values_list("model", flat=True)) == {f"model-{day}" for day in range(6)}


def test_many_days_are_watched_over_several_runs(organisation, monkeypatch):
    """Mail and the jobs of other organisations wait for a run."""
    monkeypatch.setattr(watches, "MOST_DAYS", 2)
    for day in range(3):
        come(organisation, day, 1)
    through = []
    for _ in range(3):
        update_watches(organisation_id=organisation.pk, now=LATER)
        through.append(Watch.objects.filter(figure="unknown").get().through)

    assert through == [date(2026, 3, 3), date(2026, 3, 4), date(2026, 3, 4)]


def test_a_figure_that_leaves_its_level_raises_an_alarm_with_its_event(organisation):
    alarm = alarm_of(organisation)

    assert (alarm.model, alarm.prompt_version, alarm.day, alarm.since) == ("model-a", "prompt 1", date(2026, 3, 3), date(2026, 3, 3))
    assert (alarm.hits, alarm.trials) == (30, 30)
    assert alarm.evidence >= 1 / watches.RISK
    assert {each.figure for each in Alarm.objects.all()} == {"unknown", "adoption"}
    assert AuditEvent.objects.filter(action="alarm.raised").count() == 2
    organisation.refresh_from_db()
    assert organisation.open_alarms == 2


def test_looking_again_changes_nothing(organisation):
    alarm_of(organisation)
    before = list(Watch.objects.order_by("id").values())

    assert update_watches(organisation_id=organisation.pk, now=LATER) == 0
    assert list(Watch.objects.order_by("id").values()) == before


def test_day_by_day_comes_to_the_same_as_all_days_at_once(organisation):
    for day in range(4):
        come(organisation, day, 15, 2 * day)
    update_watches(organisation_id=organisation.pk, now=LATER)
    at_once = list(Watch.objects.order_by("figure").values("figure", "rate", "wealths", "trials", "hits", "through"))
    Watch.objects.all().delete()

    for day in range(5):
        update_watches(organisation_id=organisation.pk, now=datetime(2026, 3, 2, 2, tzinfo=UTC) + timedelta(days=day))

    assert list(Watch.objects.order_by("figure").values("figure", "rate", "wealths", "trials", "hits", "through")) == at_once


def test_a_day_that_is_not_over_is_not_looked_at(organisation):
    come(organisation, 0, 5)

    update_watches(organisation_id=organisation.pk, now=datetime(2026, 3, 3, 0, 59, tzinfo=UTC))
    assert not Watch.objects.exists()
    update_watches(organisation_id=organisation.pk, now=datetime(2026, 3, 3, 1, 1, tzinfo=UTC))
    assert Watch.objects.exists()


def test_a_burst_within_one_conversation_counts_once(organisation):
    come(organisation, 0, 30)
    come(organisation, 1, 0, 40, conversation_id="one long conversation")

    assert update_watches(organisation_id=organisation.pk, now=LATER) == 0
    assert Watch.objects.get(figure="unknown").trials == 1


def test_what_is_watched_tells_nothing_of_an_answer_under_blind_review(organisation):
    lead = make_member(organisation, Role.LEAD)

    def told(model: str, **answer: object) -> str:
        """What the page says is watched, after the day of an answer by a model of its own."""
        make_item(organisation, model=model, **answer)
        run_blind(lead, name=model, candidates={"facets": {"model": [model]}})
        update_watches(organisation_id=organisation.pk, now=NOW + timedelta(days=9))
        return read_markup(sign_in(lead).get("/quality/")).text.partition("What is watched")[2]

    with transaction.atomic():
        red = told("a", **RED)
        transaction.set_rollback(True)
    assert told("a", **GREEN) == red
    assert "1 of these, of which 1 still learns the levels from its first 200 conversations" in red


@pytest.mark.parametrize(
    ("figure", "good", "bad", "hits"),
    [
        ("red", GREEN, RED, 40),
        ("opposed", GREEN, OPPOSED, 20),
        ("unquoted", QUOTED, UNQUOTED, 40),
        ("unsupported", GREEN, UNSUPPORTED, 20),
        ("withheld", GREEN, WITHHELD, 40),
    ],
)
def test_citations_of_documents_are_watched(organisation, figure, good, bad, hits):
    """Failed checks by their share of the citations of a conversation: one of two is a half."""
    for day, changes in enumerate((good, bad)):
        come(organisation, day, 40, **changes)

    update_watches(organisation_id=organisation.pk, now=LATER)

    alarm = Alarm.objects.get(figure=figure)
    assert (alarm.hits, alarm.trials) == (hits, 40)
    page = sign_in(make_member(organisation, "lead")).get("/quality/").content.decode()
    assert f"{Watched(figure).label}: model-a" in page
    assert f"{100 * hits // 40}% of 40 conversations" in page


@pytest.mark.parametrize("streams", [20, pytest.param(190, marks=pytest.mark.exhaustive)])
def test_false_alarms_are_as_rare_as_promised(organisation, streams):
    """Models whose unknown fields stay at one in ten, with bursts, through the tables that the worker reads."""
    plant(organisation, random.Random(11), streams, 10, lambda _day: 0.1)  # noqa: S311 — a simulation

    raised = update_watches(organisation_id=organisation.pk, now=LATER)

    assert Watch.objects.exclude(rate=None).filter(figure="unknown").count() == streams
    assert raised <= streams * watches.ALPHA


def test_a_change_is_found(organisation):
    plant(organisation, random.Random(12), 6, 14, lambda day: 0.02 if day < 5 else 0.9)  # noqa: S311 — a simulation

    update_watches(organisation_id=organisation.pk, now=LATER)

    assert Alarm.objects.filter(figure="unknown").count() == 6
    assert {alarm.since for alarm in Alarm.objects.all()} == {date(2026, 3, 7)}


def plant(organisation: Organisation, chance: random.Random, streams: int, days: int, rate_of: Callable[[int], float]) -> None:
    """Answers straight into the tables, as ingest leaves them: conversations of one to four turns, each all good or all bad."""
    come(organisation, -30, 1, model="template")
    snapshot, attribution = Snapshot.objects.values().get(), SnapshotAttribution.objects.values().get()
    rows = []
    for stream, day, number in itertools.product(range(streams), range(days), range(4)):
        is_bad = chance.random() < rate_of(day)
        for turn in range(chance.choice((1, 1, 2, 4))):
            name, at = f"{stream}-{day}-{number}", datetime(2026, 3, 2, 12, tzinfo=UTC) + timedelta(days=day)
            changes = {"external_id": f"{name}-{turn}", "conversation_id": name, "model": f"m{stream}", "answered_at": at}
            rows.append((uuid7(), changes | {"completeness": {}}, {"unknown": 1} if is_bad else {}))
    Snapshot.objects.bulk_create((Snapshot(**snapshot | changes | {"id": pk}) for pk, changes, _ in rows), batch_size=500)
    SnapshotAttribution.objects.bulk_create(
        (SnapshotAttribution(**attribution | {"id": uuid7(), "snapshot_id": pk, "guardrails": found}) for pk, _, found in rows),
        batch_size=500,
    )


def test_a_lead_lays_an_alarm_to_rest_with_a_reason(organisation):
    alarm = alarm_of(organisation)
    lead = make_member(organisation, Role.LEAD, "Lena Lovelace")
    client = sign_in(lead)
    page = read_markup(client.get("/quality/"))
    assert "2 alarms" in page.text
    assert "Unknown fields: model-a, prompt 1" in page.text

    answer = client.post(f"/quality/alarms/{alarm.pk}/acknowledge/", {"reason": "A typing error in the prompt; mended"})

    assert answer.status_code == 302
    kept = Acknowledgement.objects.get()
    assert (kept.person, kept.reason) == (lead.user, "A typing error in the prompt; mended")
    assert AuditEvent.objects.filter(action="alarm.acknowledged", object_id=alarm.pk).count() == 1
    watch = Watch.objects.get(figure="unknown")
    assert (watch.alarm, watch.rate, watch.trials) == (None, None, 0)
    page = read_markup(client.get("/quality/"))
    assert "1 alarm" in page.text
    assert "A typing error in the prompt; mended" in page.text


def test_an_alarm_is_acknowledged_once_and_with_a_reason(organisation):
    alarm = alarm_of(organisation)
    client = sign_in(make_member(organisation, Role.LEAD, "Lena Lovelace"))
    address = f"/quality/alarms/{alarm.pk}/acknowledge/"

    assert client.post(address, {"reason": " "}).status_code == 422
    client.post(address, {"reason": "seen"})
    again = client.post(address, {"reason": "seen"})

    assert again.status_code == 409
    assert "Somebody has acknowledged this alarm already." in read_markup(again).text
    assert Acknowledgement.objects.count() == 1


def test_a_watch_that_was_acknowledged_learns_anew(organisation):
    alarm = alarm_of(organisation)
    come(organisation, 2, 0, 30)
    update_watches(organisation_id=organisation.pk, now=LATER)
    assert Watch.objects.get(figure="unknown").trials == 30
    client = sign_in(make_member(organisation, Role.LEAD, "Lena Lovelace"))
    client.post(f"/quality/alarms/{alarm.pk}/acknowledge/", {"reason": "that is how it is now"})

    come(organisation, 3, 0, 30)
    come(organisation, 4, 0, 30)

    assert update_watches(organisation_id=organisation.pk, now=LATER) == 0
    assert Watch.objects.get(figure="unknown").rate > 0.9
