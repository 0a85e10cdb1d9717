"""Counts kept by triggers equal a complete count, whatever happens to answers, in any order."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Organisation, Role, SearchWay
from reviewers.accounts.policies import Refused
from reviewers.quality.jobs import fold
from reviewers.quality.management.commands.rollup import count_kept, differences
from reviewers.quality.models import COLOURS, DayTotal, Delta
from reviewers.review.labels import actions
from reviewers.review.models import Draw, QueueItem, Verdict
from reviewers.review.plans.actions import stop_plan
from reviewers.review.plans.sampling import Design
from reviewers.review.redaction.actions import approve
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.freeze import MOST_SECTIONS
from reviewers.snapshots.ingest.records import Record, read_record
from reviewers.snapshots.models import CITATION_COUNTS
from tests.factories import CITED, NOW, UNCITED, choose, make_item, make_member, make_organisation, make_record
from tests.quality.cited import ASKS_BACK, GREEN, OPPOSED, RED, UNQUOTED, UNSUPPORTED, WITHHELD
from tests.review.plans.planning import review, run_blind
from tests.review.redacting.redactable import make_proposal
from tests.snapshots.searches import run_all, turn_on

KINDS = (
    {},
    {"response": "Your risk is elevated."},
    {"response": "Nothing of it."},
    {"response": "Risk [[SF:risk_level]] [[SF:risk_level]] [[SF:nonsense]] is so."},
    CITED,
    UNCITED,
    {"response": "", "abstention_reason": "no source answers that"},
    GREEN,
    RED,
    OPPOSED,
    UNQUOTED,
    WITHHELD,
    ASKS_BACK,
)


def sums(figure: str, section: str = "") -> int:
    return sum(count for key, count in count_kept().items() if (key.figure, key.section) == (figure, section))


def snapshots_read() -> int:
    """Return how often this transaction has read a snapshot."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'snapshots_snapshot'")
        return int(cursor.fetchone()[0])


def test_counting_a_batch_reads_none_of_the_answers_before_it(organisation):
    """A connection keeps the plans of triggers from when there were few answers. They compared a batch with all that there were."""
    read = []
    for batch in range(6):
        records = [read_record(json.dumps(make_record(id=f"{batch}-{number}", **CITED)).encode()) for number in range(20)]
        before = snapshots_read()
        ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW)
        read.append(snapshots_read() - before)

    assert read[5] <= read[1]


def test_an_answer_is_counted_with_what_it_has(organisation):
    make_item(organisation, answered_at="2026-03-03T23:30:00-06:00")

    counted = {(str(key.day), key.section, key.figure): count for key, count in count_kept().items() if count}
    assert counted == {
        ("2026-03-04", "", "answers"): 1,
        ("2026-03-04", "", "by_mixed"): 1,
        ("2026-03-04", "", "over_cited"): 1,
        ("2026-03-04", "safety", "answers"): 1,
        ("2026-03-04", "safety", "given"): 1,
        ("2026-03-04", "provider_genome", "answers"): 1,
        ("2026-03-04", "provider_genome", "given"): 1,
        ("2026-03-04", "therapeutic_fit", "answers"): 1,
        ("2026-03-04", "therapeutic_fit", "given"): 1,
    }


def test_answers_that_were_sent_are_counted_by_validity_and_failed_checks(organisation):
    for changes in (GREEN, GREEN, RED, OPPOSED, UNQUOTED, UNSUPPORTED, WITHHELD, ASKS_BACK):
        make_item(organisation, **changes)

    counted = {figure: sums(figure) for figure in ("documented", "citing", *COLOURS, *CITATION_COUNTS, "withheld")}
    assert counted == {
        "documented": 7,
        "citing": 5,
        "green": 2,
        "yellow": 3,
        "red": 1,
        "citations": 9,
        "quotes": 1,
        "opposed": 2,
        "unquoted": 1,
        "unsupported": 1,
        "well_sourced": 1,
        "sentences": 9,
        "withheld": 2,
    }
    assert not differences()


def test_a_batch_writes_one_delta_a_day_model_and_prompt(organisation):
    records = [read_record(json.dumps(make_record(response="Nothing of it.", context={})).encode()) for _ in range(50)]
    ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW)

    assert [delta.answers for delta in Delta.objects.all()] == [50]


def test_folding_changes_no_sum_and_leaves_no_delta(organisation):
    for changes in KINDS:
        make_item(organisation, **changes)
    before = +count_kept()

    assert fold() > 0
    assert +count_kept() == before
    assert not Delta.objects.exists()
    make_item(organisation)
    fold()
    assert DayTotal.objects.get(section="").answers == len(KINDS) + 1


def test_labels_are_counted_while_they_hold(organisation, alice):
    item = make_item(organisation)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, note="", by=alice, now=NOW)
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, note="", by=alice, now=NOW)
    assert sums("labels") == 1

    actions.undo(item_id=item.pk, by=alice, now=NOW)
    actions.undo(item_id=item.pk, by=alice, now=NOW)
    assert sums("labels") == 0
    assert not differences()


def test_citations_found_afterwards_are_counted_once_an_answer(organisation):
    organisation.citation_search = SearchWay.WORDS
    make_item(organisation, **UNCITED)
    assert sums("found_afterwards") == 0

    run_all()

    assert sums("found_afterwards") == 1
    assert not differences()


def test_citations_found_afterwards_are_taken_off_when_they_are_redacted(organisation):
    organisation.citation_search = SearchWay.WORDS
    item = make_item(organisation, **UNCITED)
    run_all()
    fold()

    approve(redaction_id=make_proposal(item).pk, by=make_member(organisation, Role.ADMINISTRATOR), now=NOW)

    assert sums("found_afterwards") == 0
    assert not differences()


@dataclass
class Desk:
    """Where a random sequence of deeds happens."""

    chance: random.Random
    organisation: Organisation
    alice: Membership
    lead: Membership

    def record(self) -> Record:
        day = NOW + timedelta(days=self.chance.randrange(3), hours=self.chance.randrange(24))
        named = {"model": self.chance.choice(("a", "b", None)), "prompt_version": self.chance.choice(("1", "2"))}
        return read_record(json.dumps(make_record(answered_at=day.isoformat(), **named, **self.chance.choice(KINDS))).encode())

    def any_item(self) -> QueueItem | None:
        items = list(QueueItem.objects.select_related("snapshot", "attribution").filter(state="to_do", plan=None, found_count__gt=0))
        return self.chance.choice(items) if items else None


def come(desk: Desk) -> None:
    desk.organisation.repairs_answers = desk.chance.random() < 0.5
    turn_on(desk.organisation, desk.chance.choice((SearchWay.OFF, SearchWay.WORDS)))
    ingest(records=[desk.record()], organisation=desk.organisation, by=SYSTEM, at=NOW)


def come_together(desk: Desk) -> None:
    records = [desk.record() for _ in range(6)]
    ingest(records=[*records, records[0]], organisation=desk.organisation, by=SYSTEM, at=NOW)


def be_labelled(desk: Desk) -> None:
    if item := desk.any_item():
        actions.take(item_id=item.pk, by=desk.alice, now=NOW)
        verdict = desk.chance.choice((Verdict.CORRECT, Verdict.WRONG))
        actions.save_label(choice=choose(item), verdict=verdict, note="", by=desk.alice, now=NOW)
        if desk.chance.random() < 0.4:
            actions.undo(item_id=item.pk, by=desk.alice, now=NOW)


def be_reviewed(desk: Desk) -> None:
    if item := desk.any_item():
        review(item, desk.alice)


def go_into_a_blind_plan(desk: Desk) -> None:
    with suppress(Refused):
        plan = run_blind(desk.lead, design=Design(Draw.NUMBER, size=2))
        if desk.chance.random() < 0.5:
            stop_plan(plan_id=plan.pk, by=desk.lead, now=NOW)


def be_attributed_again(desk: Desk) -> None:
    """As under a later profile: the item shows another attribution, which finds something else."""
    if item := desk.any_item():
        facets = [facet for facet in item.facets if facet.partition(":")[0] not in ("source", "guardrail")]
        QueueItem.objects.filter(pk=item.pk).update(facets=[*facets, "source:none", "guardrail:unknown"])


def be_folded(desk: Desk) -> None:
    fold()


DEEDS = (come, come, come_together, be_labelled, be_reviewed, go_into_a_blind_plan, be_attributed_again, be_folded)


@pytest.mark.parametrize("seed", range(3))
def test_random_sequences_are_counted_like_what_there_is(organisation, alice, seed):
    desk = Desk(random.Random(seed), organisation, alice, make_member(organisation, Role.LEAD, "Lena Lovelace"))  # noqa: S311 — a sequence, no secret
    for _ in range(25):
        desk.chance.choice(DEEDS)(desk)
    run_all()

    assert not differences()
    assert {key.figure for key, count in count_kept().items() if count} >= {"answers", "labels", "submitted", "blind", "given"}
    fold()
    assert not differences()


def test_the_command_says_that_all_is_well_and_names_what_is_not(committed):
    make_item(make_organisation())
    out, err = StringIO(), StringIO()

    call_command("rollup", stdout=out)
    call_command("rollup", "--check", stdout=out)
    assert "all figures are what there is" in out.getvalue()

    DayTotal.objects.filter(section="").update(unknown=7)
    with pytest.raises(CommandError, match="1 figures differ"):
        call_command("rollup", "--check", stderr=err)
    assert "'model-a' 'prompt 1' '' unknown: counted 7, there are 0" in err.getvalue()


def test_an_answer_is_counted_under_so_many_sections_at_most(organisation):
    item = make_item(organisation, response="elevated", context={f"s{number}": {"risk_level": "elevated"} for number in range(3_000)})

    assert len(item.snapshot.given_sections) == len(item.attribution.sections) == MOST_SECTIONS
    assert Delta.objects.exclude(section="").count() == MOST_SECTIONS
    assert sum(facet.startswith("section:") for facet in item.facets) == MOST_SECTIONS
    assert differences() == {}
