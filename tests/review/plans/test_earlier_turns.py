"""A record repeats earlier turns as the model wrote them: it tells nothing of a turn that its reader reviews blind."""

from __future__ import annotations

import json
import zipfile

import pytest
from django.test import Client
from django.utils import timezone

from reviewers.accounts.models import Scope
from reviewers.accounts.policies import Refused
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.review.models import QueueItem
from reviewers.review.redaction.repetitions import repetitions_of
from reviewers.review.signing.actions import sign_all
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import REST
from tests.api.sending import program_of
from tests.factories import BOTH, CONTEXT, NOW, as_seen_by, make_item, make_key, sign_in
from tests.reports.exporting.made import make_bundle, of_item, report_of
from tests.review.plans.planning import label_all, review, run_blind
from tests.review.signed import intent_of, proof_of, sign_as_it_stands
from tests.snapshots.importers.exported import run
from tests.snapshots.otlp.tracing import age, freeze, send, span

MARKER = "[[TF:fit_score]]"
EARLIER = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": BOTH["response"]}]


@pytest.fixture
def turns(organisation, lead) -> tuple[QueueItem, QueueItem]:
    """A turn under blind review, and the next one of its conversation, which is not."""
    return drawn(organisation, lead, earlier_turns=EARLIER)


def drawn(organisation, lead, **more) -> tuple[QueueItem, QueueItem]:
    first = make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    later = make_item(organisation, **{"conversation_id": "talk", "model": "model-b", "response": "Nothing more."} | more)
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})
    first.refresh_from_db()
    return first, later


def record_of(member, item) -> tuple[int, str]:
    response = sign_in(member).get(f"/items/{item.pk}/record/")
    return response.status_code, response.content.decode()


def test_the_record_of_a_later_turn_waits_for_the_review_of_the_turn_that_it_repeats(turns, bob, lead, auditor):
    first, later = turns
    for member in (bob, lead):
        status, told = record_of(member, later)
        assert (status, MARKER in told) == (403, False)
        page = sign_in(member).get(f"/items/{later.pk}/").content.decode()
        assert "may repeat another turn that you review blind" in page
        assert f"/items/{later.pk}/record/" not in page
    assert record_of(auditor, later)[0] == 200
    review(first, bob)

    status, told = record_of(bob, later)
    assert (status, MARKER in told) == (200, True)
    assert record_of(lead, later)[0] == 403


SAID = f"Earlier I said: {BOTH['response']}"
GIVEN = {
    "user_text": f"You told me: {SAID}",
    "context": {**CONTEXT, "history": {"said": SAID, "turns": [SAID]}},
    "documents": [{"id": "talk-1", "title": "The talk [[TF:fit_score]]", "content": SAID}],
    "tool_calls": [{"id": "call-1", "name": "recall", "output": SAID}],
    "response": "Nothing more. Your risk is elevated [[SF:risk_level]], as I said earlier, and adults start with 3 mg in the evening [1].",
    "provider": "Ada Quill",
}
"""A turn to whose model the turn before was given in every way."""


def test_no_page_shows_the_markers_of_a_blind_turn_that_a_later_turn_was_given(organisation, alice, lead, auditor):
    first, later = drawn(organisation, lead, **GIVEN)
    label_all(later, lead)
    everything = f"/items/{later.pk}/?unfound=1&sources=all&citations=all&rows=all"
    addresses = [everything, *(f"/items/{later.pk}/{end}" for end in ("unfound/", "sources/", "conversation/", "record/", "passages/0/1/"))]
    addresses += [f"/items/{first.pk}/conversation/", f"/items/{first.pk}/", f"/why/{later.pk}/", f"/why/{later.pk}/compare/"]

    def telling(member) -> list[str]:
        client = sign_in(member)
        return [each for each in addresses if MARKER in client.get(each).content.decode()]

    assert telling(lead) == []
    assert "are bars as well" in sign_in(lead).get(everything).content.decode()
    assert len(telling(auditor)) > 5
    review(first, alice)
    assert everything in telling(alice)


def test_no_search_finds_a_marker_in_what_the_user_repeats(organisation):
    make_item(organisation, user_text="you said 85% [[TF:fit_score]]", response="Nothing more.")
    words = set(str(Snapshot.objects.values_list("search", flat=True).get()).replace("'", " ").split())

    assert {"you", "said", "nothing"} <= words
    assert not {each for each in words if each.startswith(("tf", "fit", "score"))}


def test_no_program_is_given_the_markers_of_a_blind_turn_that_a_later_turn_was_given(organisation, lead):
    _, later = drawn(organisation, lead, **GIVEN)
    program = program_of(organisation)
    addresses = [f"/api/v1/{kind}/{later.pk}" for kind in ("snapshots", "items")]
    told = [program.get(each) for each in addresses]

    assert [(each.status_code, MARKER in each.content.decode()) for each in told] == [(200, False), (200, False)]


def test_no_report_has_the_markers_of_a_blind_turn_that_a_later_turn_was_given(organisation, lead, auditor, tmp_path):
    _, later = drawn(organisation, lead, **GIVEN)
    (answer,) = report_of(lead, of_item(later.pk)).answers
    assert MARKER not in repr(answer)
    assert MARKER in repr(report_of(auditor, of_item(later.pk)).answers)
    (tmp_path / "bundle.zip").write_bytes(make_bundle(lead, of_item(later.pk)))
    verify(str(tmp_path / "bundle.zip"))
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        assert not [name for name in bundle.namelist() if MARKER.encode() in bundle.read(name)]


def test_the_page_of_a_suggestion_gives_no_digest_of_a_record_that_repeats_a_blind_turn(organisation, lead):
    _, later = drawn(organisation, lead, earlier_turns=EARLIER, provider="Ada Quill")
    _, alone = drawn(organisation, lead, provider="Ada Quill")

    pages = [sign_in(lead).get(f"/why/{each.pk}/").content.decode() for each in (later, alone)]
    assert ["<span>Record <code" in page for page in pages] == [False, True]


def test_no_report_gives_the_digest_of_a_record_that_repeats_a_blind_turn(organisation, lead, auditor, alice, bob, tmp_path):
    first, later = drawn(organisation, lead, earlier_turns=EARLIER)
    other, alone = drawn(organisation, lead)

    def told(member, item) -> tuple[bool, bool]:
        """Whether the report names the digest, and whether the bundle, which is sound, opens it."""
        (answer,) = report_of(member, of_item(item.pk)).answers
        (tmp_path / "bundle.zip").write_bytes(make_bundle(member, of_item(item.pk)))
        verify(str(tmp_path / "bundle.zip"))
        with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
            parts = [part for line in bundle.read("events.jsonl").splitlines() for part in json.loads(line)["parts"]]
        return bool(answer.digest), "record.sha256" in [part.get("name") for part in parts]

    assert [told(lead, later), told(auditor, later), told(lead, alone)] == [(False, False), (True, True), (True, True)]
    for member in (alice, bob):
        review(first, member)
        review(other, member)
    assert told(lead, later) == (True, True)


def test_nothing_that_is_signed_gives_the_digest_of_a_record_that_repeats_a_blind_turn(organisation, lead, bob):
    first = make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    later = make_item(organisation, conversation_id="talk", model="model-b", earlier_turns=EARLIER)
    review(later, bob)
    statement = f"/signatures/{sign_as_it_stands(later, bob).pk}/"
    addresses = [f"/items/{later.pk}/signing/", statement]
    digest = bytes(later.snapshot.digest).hex()
    client = sign_in(bob)
    assert [client.get(each).status_code for each in addresses] == [200, 200]
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    assert [client.get(each).status_code for each in addresses] == [403, 403]
    assert "sha256:" not in client.get(f"/items/{later.pk}/").content.decode().partition('id="signatures"')[2].partition("</section>")[0]
    review(first, bob)
    assert digest in client.get(statement).content.decode()


def test_nobody_signs_several_or_tries_a_digest_of_a_record_that_repeats_a_blind_turn(organisation, lead, bob):
    make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    later = make_item(organisation, conversation_id="talk", model="model-b", earlier_turns=EARLIER)
    review(later, bob)
    client, seen = sign_in(bob), intent_of(later)
    assert seen.digest in client.get("/signing/").content.decode()
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    page = client.get("/signing/").content.decode()
    assert ("sha256:" in page, "1 more waits until" in page) == (False, True)
    with pytest.raises(Refused, match="may repeat it"):
        sign_all(intents=[seen], proof=proof_of(bob), by=bob, now=NOW)


def test_programs_are_given_no_record_that_repeats_a_withheld_turn(organisation, turns, alice, bob):
    first, later = turns
    program = program_of(organisation)
    told = program.get(f"/api/v1/snapshots/{later.pk}").json()

    assert (told["record"], told["digest"]) == (None, None)
    assert "fields" in told["attribution"]
    for member in (alice, bob):
        review(first, member)
    told = program.get(f"/api/v1/snapshots/{later.pk}").json()
    assert told["record"]["earlier_turns"] == EARLIER
    assert told["digest"]


def test_a_record_of_nothing_but_what_is_read_is_shown(organisation, lead, bob):
    _, later = drawn(organisation, lead)

    assert record_of(bob, later)[0] == 200
    assert program_of(organisation).get(f"/api/v1/snapshots/{later.pk}").json()["record"]


def test_turns_of_another_conversation_are_repeated_nowhere(organisation, lead, bob):
    drawn(organisation, lead)
    other = make_item(organisation, **BOTH | {"conversation_id": "another talk", "model": "model-b", "earlier_turns": EARLIER})
    unlike = {"conversation_id": "", "client_reference": "another client"}
    alone = make_item(organisation, **BOTH | unlike | {"model": "model-b", "earlier_turns": EARLIER})

    assert [record_of(bob, each)[0] for each in (other, alone)] == [200, 200]
    assert program_of(organisation).get(f"/api/v1/snapshots/{alone.pk}").json()["record"]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ({"conversation_id": ""}, {"conversation_id": ""}),
        ({"conversation_id": "talk"}, {"conversation_id": "", "client_reference": ""}),
        ({"conversation_id": "", "client_reference": ""}, {"conversation_id": "talk"}),
    ],
)
def test_turns_of_which_one_names_no_conversation_may_repeat_each_other(organisation, lead, bob, first, later):
    make_item(organisation, **BOTH | {"model": "model-a"} | first)
    repeating = make_item(organisation, **{"model": "model-b", "response": "Nothing more.", "earlier_turns": EARLIER} | later)
    label_all(repeating, lead)
    assert record_of(bob, repeating)[0] == 200
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    assert [record_of(member, repeating)[0] for member in (bob, lead)] == [403, 403]
    assert program_of(organisation).get(f"/api/v1/snapshots/{repeating.pk}").json()["record"] is None


def test_completions_that_were_imported_with_their_messages_tell_no_markers_of_a_blind_turn(organisation, lead, bob, tmp_path):
    asked, said, then = EARLIER[0], EARLIER[1], {"role": "user", "content": "and then?"}
    talks = {"model-a": ([asked], said), "model-b": ([asked, said, then], {"role": "assistant", "content": "Nothing more."})}
    told = {"object": "chat.completion", "metadata": {"footnote": {"context": CONTEXT}}}
    lines = [told | {"id": name, "model": name, "messages": its, "choices": [{"message": end}]} for name, (its, end) in talks.items()]
    (tmp_path / "completions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run(tmp_path / "completions.jsonl", tool="openai", organisation=organisation.slug)
    later = QueueItem.objects.get(snapshot__model="model-b")
    assert MARKER in record_of(bob, later)[1]
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    status, read = record_of(bob, later)
    assert (status, MARKER in read) == (403, False)


def test_no_words_are_looked_for_in_what_may_repeat_a_blind_turn_of_no_conversation(organisation, lead):
    make_item(organisation, **BOTH | {"conversation_id": "", "model": "model-a"})
    later = make_item(organisation, conversation_id="", model="model-b", earlier_turns=EARLIER)
    label_all(later, lead, note="TF fit_score")
    note = next(each for each in as_seen_by(lead, later).labels if each.note)

    def has_rest() -> bool:
        found = repetitions_of(as_seen_by(lead, later), [f"note.{note.id}"], lead)
        return REST in [part.name for each in found for part in each.parts]

    assert has_rest()
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})
    assert not has_rest()


def test_a_trace_with_the_messages_of_a_conversation_tells_no_markers_of_a_blind_turn(organisation, lead, bob):
    make_item(organisation, **BOTH | {"conversation_id": "talk", "model": "model-a"})
    messages = [*EARLIER, {"role": "user", "content": "and then?"}]
    asked = {f"llm.input_messages.{n}.message.{name}": each[name] for n, each in enumerate(messages) for name in ("role", "content")}
    told = {"footnote.context": json.dumps(CONTEXT), "session.id": "talk", "llm.model_name": "model-b", "output.value": "Nothing more."}
    send(Client(headers={"Authorization": f"Bearer {make_key(organisation, Scope.INGEST)}"}), span(asked | told))
    age()
    freeze(organisation.pk, timezone.now())
    later = QueueItem.objects.get(snapshot__model="model-b")
    assert MARKER in record_of(bob, later)[1]
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})

    status, said = record_of(bob, later)
    assert (status, MARKER in said) == (403, False)


def test_no_words_are_looked_for_in_what_repeats_a_blind_turn(turns, lead):
    first, _ = turns
    label_all(first, lead, note="TF fit_score")
    note = next(each for each in as_seen_by(lead, first).labels if each.note)
    found = [part.name for each in repetitions_of(as_seen_by(lead, first), [f"note.{note.id}"], lead) for part in each.parts]

    assert REST not in found
