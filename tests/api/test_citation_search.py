"""A program that reads a snapshot is told whether citations were looked for afterwards, and what came of it."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Organisation
from tests.api.sending import post
from tests.factories import CITED, UNCITED, make_record
from tests.snapshots.searches import run_all


@pytest.fixture
def searching(program):
    Organisation.objects.update(citation_search="words")


def read(program, **changes):
    return program.get(f"/api/v1/snapshots/{post(program, make_record(**changes)).json()['id']}").json()


def test_it_is_nothing_where_none_was_asked_for(program):
    assert read(program, **UNCITED)["citation_search"] is None


def test_nor_where_the_answer_cites(program, searching):
    assert read(program, **CITED)["citation_search"] is None


def test_it_is_pending_until_a_worker_has_looked(program, searching):
    told = read(program, **UNCITED)["citation_search"]

    assert (told["state"], told["method"], told["number"]) == ("pending", "words", 1)
    assert "references" not in told


def test_then_it_has_the_sources_and_the_places(program, searching):
    snapshot = read(program, **UNCITED)
    run_all()
    told = program.get(f"/api/v1/snapshots/{snapshot['id']}").json()["citation_search"]

    assert (told["state"], told["attempts"], told["reason"], told["refused"]) == ("found", 1, "", [])
    assert [source["id"] for source in told["sources"]] == ["doc-2"]
    (reference,) = told["references"]
    assert snapshot["record"]["response"][reference["start"] : reference["end"]] == "Whoever takes other medicines should ask first."
    assert told["digest"].startswith("sha256:")


def test_the_answer_itself_stays_as_the_model_gave_it(program, searching):
    before = read(program, **UNCITED)
    run_all()
    after = program.get(f"/api/v1/snapshots/{before['id']}").json()

    assert after["documents"] == before["documents"]
    assert after["documents"]["validity"]["colour"] == "red"


def test_a_skipped_one_says_why(program, searching):
    told = read(program, **UNCITED | {"response": "```\nls\n```"})["citation_search"]

    assert (told["state"], told["reason"]) == ("skipped", "code_only")
