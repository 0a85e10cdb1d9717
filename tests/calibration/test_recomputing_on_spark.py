"""Attribution on Spark, in its local mode: the same bytes as in one process, entered by the command, and no file left."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, StoredTurn, attribute_stored, canonical_bytes, write_terms
from reviewers.calibration.recomputing import spark
from reviewers.demonstration.generator import generate
from reviewers.ledger.verification.organisation import verify
from reviewers.snapshots.models import SnapshotAttribution
from reviewers.snapshots.versions.in_use import USUAL_POLICY, policy_data
from tests.calibration.earlier import by_an_earlier_engine
from tests.events import events
from tests.factories import BOTH, NOW, make_items
from tests.ledger.sealed import seal_now
from tests.spark import with_spark

pytestmark = [pytest.mark.exhaustive, pytest.mark.filterwarnings("ignore:::pyspark")]

MANY = 3_000


@pytest.fixture(scope="module", autouse=True)
def _with_spark():
    """This process has Spark, and so have those that it starts."""
    folder = with_spark().get("PYTHONPATH", "")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", folder)
        patched.setattr(sys, "path", [*sys.path, folder] if folder else sys.path)
        yield


def generated_turns(count: int, terms: str) -> list[StoredTurn]:
    """Turns of the demonstration, each with what would be stored of it."""
    records = generate(count)
    return [
        StoredTurn(
            key=record["id"],
            digest=bytes([number % 251]),
            record=json.dumps(record).encode(),
            hidden_sections=canonical_bytes(record.get("hidden_sections") or []),
            answered_on=None if number % 3 else NOW.date(),
            cited_on=NOW.date(),
            terms=terms,
        )
        for number, record in enumerate(records)
    ]


def test_thousands_of_turns_give_the_same_bytes_as_one_process(tmp_path):
    name, terms = write_terms(profile=DEFAULT_PROFILE, schema=None, policy=policy_data(USUAL_POLICY), trust_table=None, trust_title="")
    turns = generated_turns(MANY, name)

    found = list(spark.Spark(tmp_path, "local[2]")(turns, {name: terms}))

    assert Counter(found) == Counter(attribute_stored(turns, {name: terms}))
    assert len(found) == MANY
    assert [each.name for each in tmp_path.iterdir()] == ["lock"]


@pytest.mark.django_db
def test_the_command_enters_what_comes_back_and_leaves_no_file(organisation, monkeypatch, tmp_path, capsys):
    with by_an_earlier_engine(monkeypatch):
        items = make_items(organisation, *[{}, BOTH] * 20)

    call_command("recompute", organisation=organisation.slug, engine="spark", folder=tmp_path, master="local[2]")

    told = capsys.readouterr().out
    assert "40 attributions entered; 40 answers show theirs now." in told
    assert f"The files with protected text below {tmp_path} are removed." in told
    assert set(SnapshotAttribution.objects.filter(engine_version=ENGINE_VERSION).values_list("snapshot", flat=True)) == {
        item.pk for item in items
    }
    assert [each["details"] for each in events("turns.exported")] == [{"turns": 40}]
    assert [each.name for each in Path(tmp_path).iterdir()] == ["lock"]
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)
