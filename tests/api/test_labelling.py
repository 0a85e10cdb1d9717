"""A member's program takes, labels, flags and submits by the acts of the review page: the same rules, blindness and events."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role, Scope, TokenScope
from reviewers.review.labels import actions
from reviewers.review.models import CitationLabel, Flag, Label, Lease, Mention, Plan, QueueItem, Submission, UnsupportedClaim, Verdict
from reviewers.review.queries import load_item
from reviewers.review.talk.flags import flags_on
from tests.accounts.tokens import program_of_member
from tests.api.sending import problem_of, program_of
from tests.events import actions_of, events
from tests.factories import BOTH, NOW, choose, claim_words, flag_finding, make_item, make_member
from tests.review.plans.planning import review, run_blind, run_plan
from tests.state import state_of_tables

ITEMS = "/api/v1/items"


@pytest.fixture
def item(organisation) -> QueueItem:
    return make_item(organisation, **BOTH)


@pytest.fixture
def desk(alice) -> Client:
    """A program of Alice's."""
    return program_of_member(alice)


def send(program: Client, path: str, **body: Any):
    return program.post(f"{ITEMS}/{path}", body, content_type="application/json")


def done(response) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    return response.json()


def label(program: Client, item: QueueItem, row: int = 0, **more: Any):
    given = {"id": str(uuid.uuid4()), "attribution": str(item.attribution_id), "row": row, "verdict": "correct"}
    return send(program, f"{item.pk}/labels", **given | more)


def label_citation(program: Client, item: QueueItem, citation: int = 0, **more: Any):
    given = {"id": str(uuid.uuid4()), "attribution": str(item.attribution_id), "citation": citation, "is_blind": False}
    return send(program, f"{item.pk}/citation-labels", **given | {"verdict": "supports"} | more)


def flag(program: Client, item: QueueItem, **more: Any):
    given = {"id": str(uuid.uuid4()), "attribution": str(item.attribution_id), "is_blind": False, "note": "look", "on": "row", "number": 0}
    return send(program, f"{item.pk}/flags", **given | more)


def act(program: Client, item: QueueItem, name: str, **more: Any):
    given = {"id": str(uuid.uuid4()), "attribution": str(item.attribution_id)}
    return send(program, f"{item.pk}/{name}", **given | more)


def say_unsupported(program: Client, item: QueueItem, words: str = "risk", **more: Any):
    return act(program, item, "unsupported", words=words, **more)


def comment(program: Client, item: QueueItem, text: str = "what of this?", **more: Any):
    return send(program, f"{item.pk}/comments", **{"id": str(uuid.uuid4()), "text": text} | more)


def read(program: Client, item: QueueItem) -> dict[str, Any]:
    return done(program.get(f"{ITEMS}/{item.pk}"))


def verdicts(program: Client, item: QueueItem) -> dict[int, str]:
    """Return the verdicts on rows by their numbers, as the member reads them."""
    return {row["number"]: row["label"]["verdict"] for row in read(program, item)["rows"] if row["label"]["verdict"]}


def work_through(program: Client, item: QueueItem) -> None:
    """Label all that an item needs, as it is read."""
    told = read(program, item)
    for row in told["rows"]:
        done(label(program, item, row["number"]))
    for source in told["sources"]:
        for each in source["citations"]:
            if each["required"]:
                done(label_citation(program, item, each["number"], is_blind=told["is_blind"]))


def test_a_review_from_taking_to_submitting(desk, alice, item):
    assert done(desk.post(f"{ITEMS}/next")) == {"id": str(item.pk)}
    assert done(desk.post(f"{ITEMS}/next")) == {"id": str(item.pk)}, "one holds it already"
    work_through(desk, item)
    submitted = done(desk.post(f"{ITEMS}/{item.pk}/submit"))

    assert submitted["id"] == str(item.pk)
    item.refresh_from_db()
    assert (item.state, item.submitted_by_id) == ("submitted", alice.user_id)
    assert {each.reviewer_id for each in (*Label.objects.all(), *CitationLabel.objects.all())} == {alice.user_id}
    written = [event for event in events() if event["object"]["id"] == str(item.pk)]
    assert {each["actor"]["id"] for each in written if each["action"] != "snapshot.frozen"} == {str(alice.user_id)}
    kinds = set(actions_of(written))
    assert {"lease.taken", "snapshot.viewed", "label.saved", "citation_label.saved", "review.submitted", "lease.released"} <= kinds
    assert done(desk.post(f"{ITEMS}/next")) == {"id": None}


def test_the_filters_of_the_list_choose_what_is_next(desk, organisation, item):
    other = make_item(organisation, model="model-b")

    assert done(desk.post(f"{ITEMS}/next?model=model-b")) == {"id": str(other.pk)}
    assert done(desk.post(f"{ITEMS}/next?model=nothing")) == {"id": None}
    assert problem_of(desk.post(f"{ITEMS}/next?state=done"))[0] == 422


def test_a_label_tells_what_it_is_now(desk, alice, item):
    told = done(label(desk, item, verdict="wrong", note=" not so "))

    expected = {"verdict": "wrong", "note": "not so", "changed": 0}
    assert told == {"item": str(item.pk), "number": 0, "label": expected}
    again = done(label(desk, item, verdict=None, note="otherwise"))
    assert (again["label"]["verdict"], again["label"]["note"]) == ("wrong", "otherwise")
    assert done(label(desk, item, verdict="correct"))["label"]["note"] == "otherwise"
    (row,) = (row for row in done(desk.get(f"{ITEMS}/{item.pk}"))["rows"] if row["number"] == 0)
    assert row["label"]["verdict"] == "correct", "a member reads their own drafts"


def test_a_body_is_read_as_strictly_as_a_record_and_bounded(desk, item, settings):
    """A body of brackets takes thirty times its size in memory, and no other request of the process is answered meanwhile."""
    given = json.dumps({"id": str(uuid.uuid4()), "attribution": str(item.attribution_id), "row": 0, "verdict": "correct"})
    largest, twice = given.ljust(settings.LARGEST_FORM), given.replace('"row": 0', '"row": 1, "row": 0')
    deep = given.replace('"row": 0', f'"more": {"[" * 100}{"]" * 100}, "row": 0')

    bodies = (f"{largest} ", twice, deep, largest)
    answered = [desk.generic("POST", f"{ITEMS}/{item.pk}/labels", each, "application/json") for each in bodies]

    assert [each.status_code for each in answered] == [400, 400, 400, 200]
    assert Label.objects.count() == 1


def test_what_others_hold_or_was_read_long_ago_is_refused(desk, bob, item):
    assert problem_of(label(desk, item, attribution=str(uuid.uuid4())))[0] == 409
    actions.take(item_id=item.pk, by=bob, now=timezone.now())

    status, place, reason = problem_of(label(desk, item))
    assert (status, place) == (409, "")
    assert bob.user.name in reason
    assert problem_of(desk.post(f"{ITEMS}/{item.pk}/submit"))[0] == 409
    assert Label.objects.count() == 0


def test_what_is_missing_is_told(desk, item):
    assert problem_of(label(desk, item, verdict=None))[0] == 422
    assert problem_of(label(desk, item, row=10_000)) == (422, "", "There is no such row.")
    assert problem_of(label(desk, item, verdict="none"))[:2] == (422, "verdict")
    assert problem_of(label(desk, item, note="x" * 5_001))[:2] == (422, "note")
    assert problem_of(label(desk, item, note="a\x00b"))[:2] == (422, "note")
    assert problem_of(label(desk, item, note="half \ud83d"))[:2] == (422, "note")
    assert problem_of(label(desk, item, id="x"))[:2] == (422, "id")
    assert problem_of(label_citation(desk, item, citation=10_000))[0] == 422
    assert problem_of(flag(desk, item, note=" "))[:2] == (422, "note")
    assert problem_of(flag(desk, item, on="words", words="not in it"))[0] == 422
    assert problem_of(desk.post(f"{ITEMS}/{item.pk}/submit"))[0] == 409
    assert (Label.objects.count(), Flag.objects.count()) == (0, 0)


def test_an_item_that_nobody_has_is_not_found(desk):
    nobody = QueueItem(pk=uuid.uuid4(), attribution_id=uuid.uuid4())
    paths = [f"{ITEMS}/{nobody.pk}/{name}" for name in ("submit", "release")]

    answers = [each(desk, nobody) for each in (label, label_citation, flag, say_unsupported, comment)]
    answers += [act(desk, nobody, "undo", is_blind=False), act(desk, nobody, "label-remaining"), *(desk.post(path) for path in paths)]
    answers += [act(desk, nobody, "unsupported/take-back", unsupported=str(nobody.pk)), send(desk, f"{nobody.pk}/skip", reason="not mine")]
    assert {problem_of(answer) for answer in answers} == {(404, "item_id", "there is no such item")}


def test_the_same_act_sent_again_writes_nothing_more(desk, item):
    acts = [
        lambda: label(desk, item, id=str(uuid.UUID(int=1)), note="so"),
        lambda: label(desk, item, id=str(uuid.UUID(int=2)), verdict=None, note="or so"),
        lambda: label_citation(desk, item, id=str(uuid.UUID(int=3))),
        lambda: flag(desk, item, id=str(uuid.UUID(int=4))),
        lambda: say_unsupported(desk, item, id=str(uuid.UUID(int=5)), note="nowhere"),
        lambda: comment(desk, item, id=str(uuid.UUID(int=6))),
    ]
    first = [done(act()) for act in acts]
    before = state_of_tables()

    again = [done(act()) for act in acts]

    assert state_of_tables() == before
    assert again[1:] == first[1:]
    assert again[0]["label"] == first[1]["label"], "a repeat tells the label as it is now"
    work_through(desk, item)
    submitted = done(desk.post(f"{ITEMS}/{item.pk}/submit"))
    before = state_of_tables()
    assert done(desk.post(f"{ITEMS}/{item.pk}/submit")) == submitted
    assert [act().status_code for act in acts] == [200] * 6, "also after the review is submitted"
    assert done(desk.post(f"{ITEMS}/{item.pk}/release")) == {"id": str(item.pk)}
    assert state_of_tables() == before


def test_a_repeated_act_tells_nothing_that_others_wrote(lead, alice, bob, item):
    """It writes no event, and every view of what others wrote is one."""
    run_plan(lead, overlap=2)
    desk = program_of_member(alice)
    known = {"id": str(uuid.uuid4())}
    done(label(desk, item, **known))
    review(item, bob, Verdict.WRONG, "a trombone")
    before = len(events())

    again = label(desk, item, **known)

    assert done(again)["label"]["verdict"] == "correct"
    assert "trombone" not in again.content.decode()
    assert "Bob" not in again.content.decode()
    assert events()[before:] == []
    assert "trombone" in desk.get(f"{ITEMS}/{item.pk}").content.decode()


def test_an_id_is_of_one_act(desk, item):
    known = {"id": str(uuid.uuid4())}
    done(label(desk, item, **known))
    done(flag(desk, item, **known))
    done(comment(desk, item, **known))

    others = [
        label(desk, item, verdict="wrong", **known),
        label(desk, item, row=1, **known),
        label(desk, item, note="more", **known),
        label_citation(desk, item, **known),
        flag(desk, item, number=1, **known),
        flag(desk, item, on="words", words="risk", **known),
        flag(desk, item, note="look there", **known),
        comment(desk, item, "and of that?", **known),
        say_unsupported(desk, item, **known),
        act(desk, item, "undo", is_blind=False, **known),
    ]
    assert [problem_of(each)[0] for each in others] == [409] * 10
    assert (Label.objects.count(), CitationLabel.objects.count(), Flag.objects.count()) == (1, 0, 1)


def test_an_id_of_one_member_is_free_for_another(desk, bob, organisation, item):
    known = {"id": str(uuid.uuid4())}
    done(label(desk, item, **known))
    done(desk.post(f"{ITEMS}/{item.pk}/release"))

    done(label(program_of_member(bob), item, **known))

    assert Label.objects.values("reviewer").distinct().count() == 2


def test_a_label_of_a_program_is_undone_on_the_page(desk, alice, item):
    done(label(desk, item))

    undone = actions.undo(item_id=item.pk, by=alice, now=timezone.now())

    assert undone.rows == [0]


def test_an_act_on_labels_is_undone_once_however_often_that_is_sent(desk, item):
    done(label(desk, item, 0, note="so"))
    done(label(desk, item, 1, verdict="wrong"))
    known = {"id": str(uuid.uuid4()), "is_blind": False}

    undone = done(act(desk, item, "undo", **known))

    gone = {"verdict": None, "note": "", "changed": 0}
    assert undone == {"item": str(item.pk), "rows": [{"number": 1, "label": gone}], "citations": [], "unsupported": 0}
    assert done(act(desk, item, "undo", **known)) == undone
    assert verdicts(desk, item) == {0: "correct"}
    assert done(act(desk, item, "undo", is_blind=False))["rows"] == [{"number": 0, "label": gone}]
    assert problem_of(act(desk, item, "undo", is_blind=False)) == (409, "", "There is nothing to undo.")
    assert problem_of(act(desk, item, "undo", is_blind=False, attribution=str(item.pk)))[0] == 409
    assert problem_of(label(desk, item, 1, verdict="wrong", id=known["id"]))[0] == 409, "an undo has the identifier"


def test_what_is_submitted_is_not_undone(desk, item):
    work_through(desk, item)
    done(desk.post(f"{ITEMS}/{item.pk}/submit"))

    assert problem_of(act(desk, item, "undo", is_blind=False))[0] == 409


def test_all_that_remains_is_labelled_and_undone_as_one_act(desk, item):
    done(label(desk, item, 0, verdict="wrong"))
    known = {"id": str(uuid.uuid4())}

    labelled = done(act(desk, item, "label-remaining", **known))

    others = {row["number"]: "correct" for row in read(desk, item)["rows"]} | {0: "wrong"}
    assert {each["number"]: each["label"]["verdict"] for each in labelled["rows"]} | {0: "wrong"} == others == verdicts(desk, item)
    assert {each["label"]["verdict"] for each in labelled["citations"]} == {"supports"}
    before = state_of_tables()
    assert done(act(desk, item, "label-remaining", **known)) == labelled
    assert state_of_tables() == before
    undone = done(act(desk, item, "undo", is_blind=False))
    assert [each["number"] for each in undone["rows"]] == [each["number"] for each in labelled["rows"]]
    done(act(desk, item, "label-remaining", **known))
    assert verdicts(desk, item) == {0: "wrong"}, "a late repeat labels nothing again"


def test_words_are_said_not_to_be_in_the_record_and_that_is_taken_back(desk, alice, item):
    told = done(say_unsupported(desk, item, note="nowhere"))

    (shown,) = read(desk, item)["unsupported"]
    assert (shown["words"], shown["own"]) == ("risk", {"id": told["id"], "note": "nowhere"})
    assert read(program_of_member(make_member(item.organisation, Role.REVIEWER, "Carol Crane")), item)["unsupported"] == []
    known = {"id": str(uuid.uuid4()), "unsupported": told["id"]}
    taken_back = done(act(desk, item, "unsupported/take-back", **known))
    assert read(desk, item)["unsupported"] == []
    assert done(act(desk, item, "unsupported/take-back", **known)) == taken_back
    assert problem_of(act(desk, item, "unsupported/take-back", unsupported=told["id"]))[0] == 422
    assert done(act(desk, item, "undo", is_blind=False))["unsupported"] == 1
    assert UnsupportedClaim.objects.count() == 3
    (again,) = read(desk, item)["unsupported"]
    assert again["own"]["note"] == "nowhere"
    assert done(act(desk, item, "unsupported/take-back", unsupported=told["id"])), "by any label of one's own on the words"


def test_words_that_are_not_so_in_the_answer_cannot_be_unsupported(desk, bob, item):
    assert problem_of(say_unsupported(desk, item, "not in it"))[0] == 422
    assert problem_of(say_unsupported(desk, item, occurrence=9))[0] == 422
    assert problem_of(say_unsupported(desk, item, " "))[:2] == (422, "words")
    assert problem_of(say_unsupported(desk, item, attribution=str(item.pk)))[0] == 409
    of_bob = claim_words(item, bob)
    done(program_of_member(bob).post(f"{ITEMS}/{item.pk}/release"))
    assert problem_of(act(desk, item, "unsupported/take-back", unsupported=str(of_bob.id)))[0] == 422
    assert UnsupportedClaim.objects.count() == 1


def test_an_item_is_skipped_once_with_its_reason(desk, alice, item):
    assert problem_of(send(desk, f"{item.pk}/skip", reason=" "))[0] == 422
    assert done(send(desk, f"{item.pk}/skip", reason="not my language")) == {"id": str(item.pk)}
    before = state_of_tables()

    assert done(send(desk, f"{item.pk}/skip", reason="not my language")) == {"id": str(item.pk)}

    assert state_of_tables() == before
    item.refresh_from_db()
    assert (item.state, item.skipped_by_id, item.skip_reason) == ("skipped", alice.user_id, "not my language")
    assert done(desk.post(f"{ITEMS}/next")) == {"id": None}


def test_of_an_item_for_several_a_skip_is_of_one_until_they_take_it_again(desk, lead, bob, item):
    run_plan(lead, overlap=2)
    done(send(desk, f"{item.pk}/skip", reason="I know her"))
    before = state_of_tables()
    done(send(desk, f"{item.pk}/skip", reason="I know her"))
    assert state_of_tables() == before

    assert done(desk.post(f"{ITEMS}/next")) == {"id": None}
    assert done(program_of_member(bob).post(f"{ITEMS}/next")) == {"id": str(item.pk)}
    done(label(desk, item))
    done(send(desk, f"{item.pk}/skip", reason="I do know her"))
    assert len(events("review.skipped")) == 2


def test_a_comment_is_read_where_its_item_is(desk, alice, bob, organisation, item):
    told = done(comment(desk, item, "@Bob Birch, look"))

    (shown,) = read(program_of_member(bob), item)["comments"]
    assert (shown["id"], shown["author"], shown["text"]) == (told["id"], alice.user.name, "@Bob Birch, look")
    assert Mention.objects.get().person_id == bob.user_id
    (masked,) = read(program_of(organisation, Scope.READ), item)["comments"]
    assert "look" not in masked["text"], "a key is nobody, and is shown no words that people wrote"
    assert problem_of(comment(desk, item, " "))[:2] == (422, "text")
    assert problem_of(comment(desk, item, "x" * 5_001))[:2] == (422, "text")


def test_after_submission_a_label_needs_a_reason(desk, item):
    work_through(desk, item)
    done(desk.post(f"{ITEMS}/{item.pk}/submit"))

    assert problem_of(label(desk, item, verdict="wrong"))[0] == 422
    assert done(label(desk, item, verdict="wrong", reason="on second thoughts"))["label"]["changed"] == 1


def test_releasing_lets_others_take_it_and_keeps_the_labels(desk, item):
    done(label(desk, item))
    assert Lease.objects.count() == 1

    done(desk.post(f"{ITEMS}/{item.pk}/release"))

    assert (Lease.objects.count(), Label.objects.count()) == (0, 1)


@pytest.mark.parametrize(
    "given",
    [
        {"on": "finding", "number": 0},
        {"on": "row", "number": 0},
        {"on": "citation", "number": 0},
        {"on": "words", "words": "risk"},
    ],
    ids=lambda given: given["on"],
)
def test_each_kind_of_place_is_flagged_as_on_the_page(desk, alice, item, given):
    told = done(flag(desk, item, **given))

    (put,) = flags_on([item.pk])
    assert (str(put.pk), put.kind, put.note, put.reviewer_id) == (told["id"], given["on"], "look", alice.user_id)
    assert [each["id"] for each in done(desk.get(f"{ITEMS}/{item.pk}"))["flags"]] == [told["id"]]


def test_a_lead_resolves_a_flag_once(desk, lead, item):
    flagged = done(flag(desk, item))["id"]
    resolve, of_lead = f"{item.pk}/flags/{flagged}/resolve", program_of_member(lead)
    assert send(desk, resolve, note="seen to").status_code == 403
    assert problem_of(send(of_lead, resolve, note=" "))[:2] == (422, "note")
    assert problem_of(send(of_lead, f"{item.pk}/flags/{item.pk}/resolve", note="seen to"))[0] == 404

    told = done(send(of_lead, resolve, note="seen to"))

    assert done(send(of_lead, resolve, note="seen to")) == told
    assert problem_of(send(of_lead, resolve, note="otherwise"))[0] == 409
    (event,) = events("flag.resolved")
    assert event["details"] == {"flag": flagged, "resolution": told["id"]}
    (shown,) = read(desk, item)["flags"]
    assert shown["resolution"] == "seen to"


def test_a_token_that_reads_writes_nothing(alice, item):
    reader = program_of_member(alice, TokenScope.READ)
    before = state_of_tables()

    assert {each(reader, item).status_code for each in (label, label_citation, flag, say_unsupported, comment)} == {403}
    assert {reader.post(f"{ITEMS}/{path}").status_code for path in ("next", f"{item.pk}/submit", f"{item.pk}/release")} == {403}
    assert state_of_tables() == before
    assert reader.get(f"{ITEMS}/{item.pk}").status_code == 200


def test_a_service_key_labels_nothing_whatever_its_scopes(organisation, item):
    key = program_of(organisation, *Scope)

    assert label(key, item).status_code == 403
    assert "nobody" in key.post(f"{ITEMS}/next").json()["detail"]


def test_a_token_opens_nothing_that_is_for_keys_alone(desk, item):
    assert desk.get(f"/api/v1/snapshots/{item.pk}").status_code == 401
    assert desk.post("/api/v1/snapshots", {}, content_type="application/json").status_code == 401


def test_a_member_reads_with_their_own_eyes(alice, bob, organisation, item):
    """A program with a key sees no drafts and masked notes; the member sees their own, and what colleagues wrote once it is submitted."""
    actions.save_label(choice=choose(item, 0), verdict=Verdict.WRONG, note="a trombone", by=bob, now=NOW)
    actions.label_remaining(item_id=item.pk, by=bob, now=NOW)
    for each in load_item(bob, item.pk).unlabelled_citations:
        actions.save_citation_label(choice=choose(item, each.number), verdict="supports", by=bob, now=NOW)
    hidden = done(program_of_member(alice, TokenScope.READ).get(f"{ITEMS}/{item.pk}"))
    assert {row["label"]["verdict"] for row in hidden["rows"]} == {None}
    actions.submit(item_id=item.pk, by=bob, now=NOW)

    told = done(program_of_member(alice, TokenScope.READ).get(f"{ITEMS}/{item.pk}"))

    (row,) = (row for row in told["rows"] if row["number"] == 0)
    assert (row["label"]["verdict"], row["label"]["note"]) == ("wrong", "a trombone")
    (viewed, _) = events("snapshot.viewed")
    assert viewed["actor"] == {"kind": "user", "id": str(alice.user_id)}


def test_a_list_that_a_member_reads_is_an_event_of_theirs(desk, alice, item):
    assert [each["id"] for each in done(desk.get(f"{ITEMS}?state=all"))["items"]] == [str(item.pk)]

    (event,) = events("queue.viewed")
    assert event["actor"] == {"kind": "user", "id": str(alice.user_id)}


def test_where_the_organisation_asks_why_a_member_is_asked_of_what_is_not_theirs(desk, bob, organisation, item):
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    path = f"{ITEMS}/{item.pk}"
    assert desk.get(path).status_code == 200
    actions.take(item_id=item.pk, by=bob, now=timezone.now())

    assert problem_of(desk.get(path))[:2] == (422, "Access-Reason")
    assert desk.get(path, headers={"Access-Reason": "a second look"}).status_code == 200


def test_in_a_blind_review_a_program_knows_as_little_as_the_page(lead, bob, organisation, item):
    carol = make_member(organisation, Role.REVIEWER, "Carol Crane")
    run_blind(lead)
    item.refresh_from_db()
    review(item, bob, Verdict.WRONG, "a note")
    flag_finding(choice=choose(item, 0), note="look", by=bob, now=NOW)
    desk = program_of_member(carol)

    assert done(desk.post(f"{ITEMS}/next?guardrail=over_cited")) == {"id": None}, "a filter by what the engine found would tell it"
    assert done(desk.post(f"{ITEMS}/next?flagged=on")) == {"id": None}
    assert done(desk.post(f"{ITEMS}/next")) == {"id": str(item.pk)}
    told = done(desk.get(f"{ITEMS}/{item.pk}"))
    assert (told["is_blind"], told["findings"], told["flags"], told["reviews"], told["source"]) == (True, [], [], [], None)
    assert problem_of(flag(desk, item, on="finding", is_blind=True))[0] == 409
    assert problem_of(act(desk, item, "label-remaining"))[0] == 409, "each row is judged on its own"
    assert problem_of(comment(desk, item))[0] == 409
    assert problem_of(label_citation(desk, item, is_blind=False))[0] == 409, "citations are counted in another order"
    assert problem_of(act(desk, item, "undo", is_blind=False))[0] == 409
    done(label(desk, item, verdict="correct"))
    saved = next(event for event in events("label.saved") if event["actor"]["id"] == str(carol.user_id))
    assert "verdict" not in saved["details"], "the event only commits to it"
    work_through(desk, item)
    done(desk.post(f"{ITEMS}/{item.pk}/submit"))
    assert Submission.objects.count() == 2
    assert Plan.objects.get().is_blind
