"""The response for a record just frozen equals the response when it is sent again, which is read from the database."""

from __future__ import annotations

import json

import pytest

from reviewers.demonstration.generator import generate
from reviewers.snapshots.models import SnapshotAttribution, SnapshotDocuments
from tests.api.sending import post, post_lines, program_of
from tests.factories import make_record

pytestmark = pytest.mark.django_db

ANSWER = "They open at 8 [S1][S9]. [[SF:nothing_there]] [[SF:rating]] [[SF:rating]]"
DOCUMENTS = [{"id": "S1", "title": "Hours", "content": "The clinic opens at 8 on weekdays."}]


def records() -> list[dict[str, object]]:
    return [*generate(8), make_record(response=ANSWER, documents=DOCUMENTS)]


def test_alone(organisation):
    program = program_of(organisation)
    for record in records():
        first, again = post(program, record), post(program, record)
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.content == again.content
    assert SnapshotAttribution.objects.filter(guardrails__unknown__gt=0).exists()
    assert SnapshotDocuments.objects.exists()


def test_among_others(organisation):
    program = program_of(organisation)
    sent = records()
    first, again = post_lines(program, sent), post_lines(program, sent)
    assert {each.pop("status") for each in first} == {201}
    assert {each.pop("status") for each in again} == {200}
    assert json.dumps(first) == json.dumps(again)
    assert any(len(each["attribution"]["guardrails"]) > 1 for each in first)
