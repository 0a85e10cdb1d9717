"""`manage.py recompute`: stored turns attributed by the present engine, entered beside what is there, with a report of what changes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib

import pytest
from django.core.management import CommandError, call_command

from attribution import DEFAULT_PROFILE, ENGINE_VERSION, StoredTurn, attribute_stored, write_terms
from reviewers.accounts.actions import switch_repair
from reviewers.accounts.audit import SYSTEM
from reviewers.calibration.recomputing import spark
from reviewers.calibration.recomputing.actions import TurnReader, recompute
from reviewers.calibration.recomputing.changes import ChangeKind, ShadowOfEngine, changes_of
from reviewers.ledger.verification.organisation import verify
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments
from reviewers.snapshots.reattribution import ForeignResult
from reviewers.snapshots.versions.in_use import USUAL_POLICY, policy_data
from tests.calibration.earlier import EARLIER, by_an_earlier_engine
from tests.calibration.standing import Standing
from tests.events import events
from tests.factories import BOTH, CITED, NOW, UNCITED, choose, make_item, make_items, make_member, make_organisation, make_record
from tests.ledger.sealed import seal_now
from tests.review.redacting.redactable import RECORD, lead_and_administrator, names_of, places_of, redact
from tests.snapshots.schemas import approve_schema
from tests.snapshots.trust_tables import approve_table

WITHHELD = {"hidden_sections": ["provider_genome"], "completeness": {"safety": 0.4}, "completeness_threshold": 0.5}
BESIDE = {"field_citations": [{"tool": "SF", "field": "risk_level", "text": "elevated"}], "response": "The risk is elevated."}
VARIED = [{}, BOTH, CITED, UNCITED, RECORD, WITHHELD, BESIDE, {"answered_at": None}, {"schema_version": "2026-03"}]
VARIED += [{"response": "\ud800 elevated"}]
"""Turns that differ in what the engine asks of them."""


def documents_of(row: SnapshotAttribution) -> tuple[bytes, bytes | None]:
    cited = SnapshotDocuments.objects.filter(attribution=row).first()
    return zlib.decompress(bytes(row.document)), zlib.decompress(bytes(cited.document)) if cited else None


def values_of(row: SnapshotAttribution | SnapshotDocuments) -> dict[str, object]:
    """All columns, but for keys and times."""
    apart = {"id", "snapshot_id", "attribution_id", "organisation_id", "attributed_at"}
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.attname not in apart}


def run(organisation, **options: object) -> str:
    call_command("recompute", organisation=organisation.slug, **options)


@pytest.fixture
def varied(organisation):
    """One of each kind, under a schema, a table of trust and repairs of the organisation's own."""
    approve_schema(organisation)
    approve_table(organisation)
    switch_repair(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    return make_items(organisation, *VARIED)


def test_a_stored_turn_gives_the_bytes_that_its_freezing_gave(varied):
    reader = TurnReader()
    turns = list(reader.read(Snapshot.objects.all(), DEFAULT_PROFILE))

    found = {each.key: (each.fields, each.documents) for each in attribute_stored(turns, reader.terms)}

    assert found == {str(item.pk): documents_of(item.attribution) for item in varied}
    assert len(reader.terms) > 1


def test_it_writes_the_rows_that_freezing_writes_and_verification_agrees(organisation, monkeypatch):
    records = [make_record(**changes) for changes in VARIED]
    switch_repair(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    with by_an_earlier_engine(monkeypatch):
        items = make_items(organisation, *records)
    before = set(SnapshotAttribution.objects.values_list("pk", "digest"))

    done = recompute(organisation=organisation, engine=attribute_stored, now=NOW)

    assert (done.entered, done.switched, done.left) == (len(items), len(items), 0)
    assert before < set(SnapshotAttribution.objects.values_list("pk", "digest"))
    made = {row.snapshot_id: row for row in SnapshotAttribution.objects.filter(engine_version=ENGINE_VERSION).select_related("documents")}
    twin = make_organisation("The Same Records")
    switch_repair(organisation=twin, on=True, at=NOW, by=SYSTEM)
    for item, like in zip(items, make_items(twin, *records), strict=True):
        row, expected = made[item.pk], like.attribution
        assert values_of(row) == values_of(expected)
        if hasattr(expected, "documents"):
            assert values_of(row.documents) == values_of(expected.documents)
    assert len(events("snapshot.attributed")) == len(items)
    seal_now(organisation.pk)
    verify(organisation_id=organisation.pk)


def test_what_somebody_has_labelled_keeps_what_it_shows(organisation, alice, monkeypatch):
    with by_an_earlier_engine(monkeypatch):
        items = make_items(organisation, {}, {})
    actions.save_label(choice=choose(items[1]), verdict=Verdict.CORRECT, by=alice, now=NOW)

    recompute(organisation=organisation, engine=attribute_stored, now=NOW)

    shown = [QueueItem.objects.select_related("attribution").get(pk=item.pk).attribution.engine_version for item in items]
    assert shown == [ENGINE_VERSION, EARLIER]


def test_the_command_reports_each_kind_of_change_with_a_sample_and_goes_on_where_it_was_stopped(organisation, monkeypatch, capsys):
    with by_an_earlier_engine(monkeypatch):
        items = make_items(organisation, *[{}] * 7)

    run(organisation, dry_run=True)
    told = capsys.readouterr().out
    assert f"7 answers attributed by engine {ENGINE_VERSION}, of which 7 change." in told
    assert "fields with another score" in told
    samples = re.findall(r"/items/([0-9a-f-]{36})/ safety\.risk_level: enum\.\S+ 0\.5 → enum\.\S+ 0\.95", told)
    assert len(samples) <= 5
    assert set(samples) < {str(item.pk) for item in items}
    assert "Nothing was entered." in told
    assert not SnapshotAttribution.objects.filter(engine_version=ENGINE_VERSION).exists()

    run(organisation)
    assert "7 attributions entered; 7 answers show theirs now." in capsys.readouterr().out
    run(organisation)
    assert "0 answers attributed" in capsys.readouterr().out


@pytest.mark.usefixtures("committed")
def test_what_is_redacted_while_it_is_attributed_elsewhere_does_not_come_back(monkeypatch):
    organisation = make_organisation()
    with by_an_earlier_engine(monkeypatch):
        item = make_item(organisation, **RECORD)
    people = lead_and_administrator(make_member(organisation))
    names = names_of(item, people[0], "response", "context.", "documents.", "tool_calls.", "user_text")

    def redacted_meanwhile(turns, terms):
        results = list(attribute_stored(turns, terms))
        redact(item, names, *people)
        yield from results

    done = recompute(organisation=organisation, engine=redacted_meanwhile, now=NOW)

    assert done.entered == 1
    assert not places_of("nightingale", "harpsichord", "contrabassoon")


@pytest.mark.parametrize(
    "changed",
    [
        lambda result: result._replace(fields=result.fields.replace(ENGINE_VERSION.encode(), b"9.9.9")),
        lambda result: result._replace(fields=result.fields.replace(DEFAULT_PROFILE.id.encode(), b"cp_0123456789abcdef")),
        lambda result: result._replace(fields=result.fields.replace(b'{"', b'{ "', 1)),
    ],
    ids=["version", "profile", "bytes"],
)
def test_a_result_that_is_not_of_this_engine_is_refused(organisation, monkeypatch, changed):
    with by_an_earlier_engine(monkeypatch):
        make_item(organisation)

    with pytest.raises(ForeignResult):
        recompute(organisation=organisation, engine=lambda turns, terms: map(changed, attribute_stored(turns, terms)), now=NOW)


def test_what_was_attributed_under_a_profile_that_is_retired_meanwhile_is_left(organisation, monkeypatch):
    standing = Standing(organisation)
    with by_an_earlier_engine(monkeypatch):
        item = make_item(organisation, model="calibrated")

    def retired_meanwhile(turns, terms):
        results = list(attribute_stored(turns, terms))
        standing.retire()
        yield from results

    done = recompute(organisation=organisation, engine=retired_meanwhile, now=NOW)

    assert (done.entered, done.left) == (0, 2)
    assert not SnapshotAttribution.objects.filter(snapshot=item.pk, engine_version=ENGINE_VERSION).exists()


def test_a_turn_that_the_engine_cannot_read_any_more_is_counted_and_left(organisation, monkeypatch):
    with by_an_earlier_engine(monkeypatch):
        make_item(organisation)

    def unreadable(turns, terms):
        return (each._replace(fields=None, documents=None) for each in attribute_stored(turns, terms))

    done = recompute(organisation=organisation, engine=unreadable, now=NOW)

    assert (done.entered, done.left, done.report.counts[ChangeKind.UNREADABLE]) == (0, 1, 1)


# The report.


def row(**more: object) -> dict[str, object]:
    found = {"method": "enum", "rule": "whole_word", "score": 0.95, "confidence": 0.95, "cited": False, "spans": [[0, 4]], "trace": "…"}
    return {"section": "safety", "path": "risk", "field_type": "enum", "track": "derived"} | found | more


def missed(**more: object) -> dict[str, object]:
    return {"section": "safety", "path": "risk", "field_type": "enum", "track": "neither"} | more


def document(*rows: dict[str, object], **more: object) -> dict[str, object]:
    return {"fields": list(rows), "markers": [], "guardrails": [], "clean_text": "", "engine": "1"} | more


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (document(missed()), document(row()), ChangeKind.FOUND),
        (document(row()), document(missed()), ChangeKind.LOST),
        (document(missed()), document(missed(contradiction={})), ChangeKind.CONTRADICTED),
        (document(row(contradiction={})), document(row()), ChangeKind.NOT_CONTRADICTED),
        (document(row()), document(row(rule="synonym", score=0.8)), ChangeKind.RULE),
        (document(row()), document(row(cited=True)), ChangeKind.RULE),
        (document(row()), document(row(score=0.9)), ChangeKind.SCORE),
        (document(row()), document(row(confidence=0.7)), ChangeKind.CONFIDENCE),
        (document(row()), document(row(spans=[[5, 9]])), ChangeKind.EVIDENCE),
        (document(row()), document(row(), missed(path="other")), ChangeKind.FIELDS),
        (document(markers=[{"status": "cited"}]), document(markers=[{"status": "unknown"}]), ChangeKind.MARKERS),
        (document(), document(guardrails=[{"code": "over_cited"}]), ChangeKind.FINDINGS),
        (document(), document(clean_text="other"), ChangeKind.TEXT),
    ],
    ids=lambda value: value.name if isinstance(value, ChangeKind) else "",
)
def test_a_change_counts_once_under_its_kind(before, after, kind):
    assert [each.kind for each in changes_of(before, after)] == [kind]
    assert not list(changes_of(before, before | {"engine": "2"}))


def test_the_sample_does_not_depend_on_the_order(organisation):
    answers = [(f"answer {number}", list(changes_of(document(missed()), document(row())))) for number in range(20)]
    reports = [ShadowOfEngine(), ShadowOfEngine()]
    for report, order in zip(reports, (answers, answers[::-1]), strict=True):
        for each in order:
            report.add(*each)

    assert reports[0].samples == reports[1].samples
    assert len(reports[0].samples[ChangeKind.FOUND]) == 5
    assert reports[0].counts[ChangeKind.FOUND] == 20


# The files of Spark.


def test_without_spark_the_command_says_what_to_install(organisation, monkeypatch):
    monkeypatch.setattr(spark, "_PACKAGES", ("no_such_package",))

    with pytest.raises(CommandError, match=r"pip install 'pyspark\[sql\]"):
        run(organisation, engine="spark")
    assert not events("turns.exported")


def test_the_folder_of_its_files_is_its_owners_alone_and_goes_with_it_also_after_an_error(tmp_path):
    with spark.private_folder(tmp_path / "below") as place:
        assert [each.stat().st_mode & 0o777 for each in (place, place.parent)] == [0o700, 0o700]

    def fail() -> None:
        with spark.private_folder(tmp_path / "below") as failed:
            (failed / "turns").mkdir()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [each.name for each in place.parent.iterdir()] == ["lock"]


def test_what_a_killed_process_left_is_removed_and_what_a_running_one_has_is_not(tmp_path):
    (tmp_path / "turns-left").mkdir()
    (tmp_path / "turns-left" / "lock").touch()
    (tmp_path / "turns-left" / "turns").mkdir()

    with spark.private_folder(tmp_path) as running, spark.private_folder(tmp_path) as other:
        assert running.exists()
        assert other.exists()
        assert not (tmp_path / "turns-left").exists()


def test_the_engine_that_is_sent_to_executors_attributes_by_itself(tmp_path):
    packed = spark.pack_engine(tmp_path / "engine.zip")
    name, terms = write_terms(profile=DEFAULT_PROFILE, schema=None, policy=policy_data(USUAL_POLICY), trust_table=None, trust_title="")
    turn = StoredTurn("1", b"", json.dumps(make_record(**BOTH)).encode(), b"[]", None, NOW.date(), name)
    script = f"""
import sys
from datetime import date
sys.path.insert(0, {str(packed)!r})
from attribution import StoredTurn, attribute_stored
turn = StoredTurn(*{tuple(turn[:5])!r}, date({NOW.year}, {NOW.month}, {NOW.day}), {name!r})
print(*[each._asdict() for each in attribute_stored([turn], {{{name!r}: sys.stdin.read()}})])
"""

    done = subprocess.run(  # noqa: S603 — our own script
        [sys.executable, "-I", "-c", script], cwd=tmp_path, input=terms, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == str(next(attribute_stored([turn], {name: terms}))._asdict())
