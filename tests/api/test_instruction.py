"""The instruction to cite: the organisation's switch takes effect at once, and each snapshot records it."""

from __future__ import annotations

import hashlib

import pytest

from attribution import DEFAULT_PROFILE, Grammar, QuotePolicy, citation_instruction, document_instruction
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import Snapshot
from reviewers.web.tenancy import tenant
from tests.api.sending import post
from tests.events import events
from tests.factories import make_record, sign_in
from tests.markup import read_markup

OFF = {"on": False, "text": None, "digest": None, "profile": DEFAULT_PROFILE.id}


def ask(program):
    return program.get("/api/v1/instruction").json()


def switch(lead, on):
    sign_in(lead).post("/settings/citations/", {"on": "1" if on else "0"})


def test_there_is_no_text_while_the_switch_is_off(program):
    assert ask(program) == OFF


def test_the_text_is_the_one_of_the_registry_and_its_digest_can_be_recomputed(program, lead):
    switch(lead, on=True)

    answer = ask(program)

    assert answer["on"] is True
    assert answer["text"] == citation_instruction(DEFAULT_PROFILE.registry)
    assert answer["digest"] == "sha256:" + hashlib.sha256(answer["text"].encode()).hexdigest()
    assert answer["profile"] == DEFAULT_PROFILE.id


def test_citations_beside_the_text_have_an_instruction_of_their_own(program, lead):
    assert program.get("/api/v1/instruction", {"grammar": "field_citations"}).json() == OFF
    switch(lead, on=True)

    answer = program.get("/api/v1/instruction", {"grammar": "field_citations"}).json()
    assert answer["text"] == citation_instruction(DEFAULT_PROFILE.registry, is_beside=True)
    assert program.get("/api/v1/instruction", {"grammar": "field_citations", "blocking": "true"}).json()["place"] == "blocking"


def test_the_text_names_every_prefix(program, lead):
    switch(lead, on=True)

    assert all(f"{prefix} for {section.name}" in ask(program)["text"] for prefix, section in DEFAULT_PROFILE.registry.by_prefix.items())


@pytest.mark.parametrize("grammar", ["numbered", "keyed", "structured", "claims"])
@pytest.mark.parametrize("quotes", list(QuotePolicy))
def test_documents_have_an_instruction_for_each_grammar_and_a_blocking_one(program, lead, grammar, quotes):
    switch(lead, on=True)
    Organisation.objects.update(quotes=quotes)

    plain, blocking = (
        program.get("/api/v1/instruction", {"grammar": grammar, "blocking": is_blocking}).json() for is_blocking in ("false", "true")
    )

    assert plain["text"] == document_instruction(Grammar(grammar), quotes=quotes)
    assert blocking["text"] == document_instruction(Grammar(grammar), quotes=quotes, is_blocking=True)
    assert blocking["digest"] == "sha256:" + hashlib.sha256(blocking["text"].encode()).hexdigest()


def test_the_blocking_instruction_is_for_documents_and_for_a_grammar_that_models_write(program, lead):
    assert program.get("/api/v1/instruction", {"grammar": "keyed", "blocking": "true"}).json() == OFF
    switch(lead, on=True)

    assert program.get("/api/v1/instruction", {"blocking": "true"}).json()["place"] == "blocking"
    assert program.get("/api/v1/instruction", {"grammar": "native"}).status_code == 422


def test_the_switch_holds_at_once_both_ways_and_each_change_is_an_event(program, lead):
    answers = []
    for on in (True, False, True):
        switch(lead, on=on)
        answers.append(ask(program)["on"])

    assert answers == [True, False, True]
    assert [event["details"]["to"] for event in events("switch.changed")] == answers
    assert {event["actor"]["id"] for event in events("switch.changed")} == {str(lead.user_id)}


def test_the_switch_is_the_organisations_own(program, charlie):
    other = charlie.organisation
    other.asks_for_citations = True
    with tenant.within(other.pk):
        other.save()

    assert ask(program) == OFF


@pytest.mark.parametrize("on", [True, False])
def test_a_snapshot_records_how_the_switch_stood_and_what_the_runtime_reported(program, lead, on):
    switch(lead, on=on)
    for name, reported in (("yes", True), ("no", False), ("unsaid", None)):
        post(program, make_record(id=name, citation_instruction=reported))

    kept = {each.external_id: (each.instruction_reported, each.instruction_switch) for each in Snapshot.objects.all()}
    assert kept == {"yes": (True, on), "no": (False, on), "unsaid": (None, on)}


def test_a_snapshot_keeps_what_it_recorded_when_the_switch_is_changed(program, lead):
    switch(lead, on=True)
    post(program, make_record())

    switch(lead, on=False)

    assert Snapshot.objects.get().instruction_switch is True


@pytest.mark.parametrize(
    ("reported", "on", "told"),
    [
        (True, False, "on"),
        (False, True, "off"),
        (None, True, "switched on; not known if it was sent"),
        (None, False, "switched off; not known if it was sent"),
    ],
)
def test_the_page_says_whether_citations_were_asked_for(program, lead, alice, reported, on, told):
    switch(lead, on=on)
    answer = post(program, make_record(citation_instruction=reported)).json()

    page = read_markup(sign_in(alice).get(answer["url"]))

    facts = {each.one("dt").text: each.one("dd").text for each in page.find("dl", class_="meta")[0].find("div")}
    assert facts["citation instruction"] == told
