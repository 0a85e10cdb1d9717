"""Names that programs send are counted apart up to a bound; answers keep the names they came with."""

from __future__ import annotations

import json
from datetime import timedelta

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from reviewers.calibration.queries import calibration_by_name
from reviewers.ledger.verification.organisation import verify
from reviewers.quality.jobs import fold
from reviewers.quality.management.commands.rollup import count_kept, differences
from reviewers.quality.models import DayTotal
from reviewers.review.models import OTHER_NAMES, CountedName, QueueItem, Tally
from reviewers.review.queue.counts import _count_hidden
from reviewers.review.visibility import is_of_engine, viewer_of
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from tests.factories import NOW, make_item, make_member, make_record, sign_in
from tests.review.plans.planning import run_blind
from tests.review.test_queue import ask

ROOM, A_MONTH = 200, 40


def send(organisation, names, at=NOW):
    """Ingest an answer for each name, which is that of its model, prompt and only section."""
    changes = [
        {"model": name, "prompt_version": name, "response": "You seem a 0.73 fit [[SF:score]].", "context": {name: {"score": 0.73}}}
        for name in names
    ]
    records = [read_record(json.dumps(make_record(**each)).encode()) for each in changes]
    ingest(records=records, organisation=organisation, by=SYSTEM, at=at)


def tallied(kind):
    rows = Tally.objects.filter(facet__startswith=f"{kind}:").values_list("facet", "count")
    counted = {}
    for facet, count in rows:
        counted[facet.partition(":")[2]] = counted.get(facet.partition(":")[2], 0) + count
    return counted


def test_counts_do_not_grow_with_each_new_name(organisation):
    for first in range(0, 300, 100):
        send(organisation, [f"n{number:03}" for number in range(first, first + 100)])
    fold()

    for kind in ("model", "prompt", "section"):
        counted = tallied(kind)
        assert (len(counted), counted[OTHER_NAMES], sum(counted.values())) == (ROOM + 1, 100, 300)
    assert DayTotal.objects.filter(section="").values("model", "prompt_version").distinct().count() == ROOM + 1
    assert DayTotal.objects.exclude(section="").values("section").distinct().count() == ROOM + 1
    assert not differences()


def test_answers_keep_their_names_and_lists_find_them(organisation, alice):
    send(organisation, [f"n{number:03}" for number in range(ROOM + 1)])

    item = QueueItem.objects.order_by("-pk").first()
    assert {f"model:n{ROOM}", f"prompt:n{ROOM}", f"section:n{ROOM}"} <= set(item.facets)
    assert verify(organisation_id=organisation.pk).rows
    assert [row.model for row in ask(alice, f"model=n{ROOM}").context["page"].rows] == [f"n{ROOM}"]


def test_there_is_room_for_new_names_every_month_and_each_item_stays_where_it_was_counted(organisation):
    names = [f"n{number:03}" for number in range(ROOM + 2)]
    send(organisation, names)
    send(organisation, names[-2:], at=NOW + timedelta(days=31))
    QueueItem.objects.filter(facets__contains=[f"model:{names[-1]}"]).update(found_count=5, state="to_do", answered_at=NOW)

    assert tallied("model")[names[-1]] == 1
    assert tallied("model")[OTHER_NAMES] == 2
    assert not differences()
    assert CountedName.objects.filter(kind="model").count() == ROOM + 2


def test_a_months_room_has_an_end(organisation):
    send(organisation, [f"n{number:03}" for number in range(ROOM)])
    send(organisation, [f"m{number:03}" for number in range(A_MONTH + 5)], at=NOW + timedelta(days=31))

    assert CountedName.objects.filter(kind="section").count() == ROOM + A_MONTH


def test_the_page_says_so_and_links_to_no_list_of_nothing(organisation, alice):
    send(organisation, [f"n{number:03}" for number in range(ROOM + 2)])
    page = sign_in(make_member(organisation, Role.AUDITOR, "Arno Ames")).get("/quality/").content.decode()

    assert "are names that are not counted apart" in page
    assert "model=other+names&amp;prompt=other+names&amp;since" in page
    assert "state=submitted&amp;model=other" not in page
    assert "other names" not in ask(alice).content.decode()


def test_the_page_reads_the_calibration_of_the_combinations_that_it_shows(organisation):
    for model in ("a", "b", "c"):
        make_item(organisation, model=model, prompt_version="p")

    assert calibration_by_name(organisation.pk, [("a", "p"), ("c", "p")]).keys() == {("a", "p"), ("c", "p")}


def test_an_answer_without_names_is_counted_as_before(organisation):
    make_item(organisation, model="", prompt_version="")

    assert {(key.model, key.prompt_version) for key in count_kept()} == {("", "")}
    assert tallied("model") == {"": 1}


def test_what_is_hidden_is_taken_off_the_counts_under_the_names_that_it_was_counted_under(organisation):
    send(organisation, [f"n{number:03}" for number in range(ROOM + 3)])
    kinds = {facet.partition(":")[0] for item in QueueItem.objects.all() for facet in item.facets if is_of_engine(facet.partition(":")[0])}
    run_blind(make_member(organisation, Role.LEAD))

    hidden = _count_hidden(organisation.pk, viewer_of(make_member(organisation)))

    assert {"source", "section"} <= kinds
    assert hidden == {f"{kind}:{value}": count for kind in kinds for value, count in tallied(kind).items()}
    assert hidden[f"section:{OTHER_NAMES}"] == 3
