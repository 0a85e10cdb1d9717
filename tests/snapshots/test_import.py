"""``manage.py import FILE…``: everything good in the files comes in once, everything else is named with its file and line."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from attribution import canonical_bytes
from reviewers.accounts.models import Organisation
from reviewers.review.models import QueueItem
from reviewers.snapshots.ingest.actions import BATCH
from reviewers.snapshots.models import Snapshot, SnapshotDocuments
from reviewers.web.tenancy import tenant
from tests.api.sending import as_bytes
from tests.events import events
from tests.factories import make_organisation, make_record
from tests.state import state_of_tables

LABELLED_TURN: dict[str, Any] = {
    "id": "set-0001-3",
    "source": "Made/Up_1",
    "license": "none",
    "conversation_id": "set-0001",
    "turn_index": 3,
    "user_text": "Is there a quiet one by the river?",
    "response": "The Heron is quiet, and it has 2 rooms for $90.",
    "context": {
        "provider_genome": {"name": "The Heron", "rooms": 2, "price": "$90", "by_river": None, "reviews": [{"text": "so quiet"}]},
        "client_signal": {"wishes": ["quiet", "river"]},
    },
    "gold": [
        {"section": "provider_genome", "path": "name", "field": "name", "referenced": True, "spans": [[0, 9]]},
        {"section": "client_signal", "path": "wishes", "field": "wishes", "referenced": None, "spans": None, "note": "hard negative"},
    ],
    "documents": [{"id": "d1", "url": "https://example.org/", "title": "Heron", "text": "It is quiet."}],
    "citations_gold": [{"claim": "quiet", "span": [10, 18], "docs": ["d1"], "label": "full", "supported": True}],
    "quotes_gold": [{"span": [0, 3], "text": "The", "doc": "d1", "verified": None, "match": "none"}],
    "acts": ["OFFER"],
}
"""The shape of the labelled turns that the engine is measured on."""


@pytest.fixture
def organisation(db) -> Organisation:
    return make_organisation()


def run(*paths: Path, **options: Any) -> str:
    """Return the command's output. Raise ``CommandError`` where the shell would see exit status 1."""
    output = io.StringIO()
    with tenant.outside():
        call_command("import", *map(str, paths), stdout=output, **options)
    return output.getvalue()


def refusal(*paths: Path, **options: Any) -> tuple[str, str]:
    """Return the command's output and its complaint."""
    output = io.StringIO()
    with pytest.raises(CommandError) as refused, tenant.outside():
        call_command("import", *map(str, paths), stdout=output, **options)
    assert refused.value.returncode == 1
    return output.getvalue(), str(refused.value)


def write(path: Path, *records: Any, end: bytes = b"\n") -> Path:
    path.write_bytes(b"".join(as_bytes(record) + end for record in records))
    return path


def test_every_line_of_a_file_is_frozen_and_waits_in_the_queue(organisation, tmp_path):
    records = [make_record() for _ in range(3)]

    said = run(write(tmp_path / "turns.jsonl", *records))

    assert said == "3 frozen, 0 known already, 0 refused.\n"
    assert [json.loads(bytes(each.record)) for each in Snapshot.objects.order_by("frozen_at", "external_id")] == records
    assert QueueItem.objects.filter(organisation=organisation).count() == 3


def test_the_event_of_a_turn_that_was_imported_is_the_systems(organisation, tmp_path):
    run(write(tmp_path / "turns.jsonl", make_record()))

    assert [event["actor"] for event in events("snapshot.frozen")] == [{"kind": "system", "id": None}]


@pytest.mark.parametrize("name", ["turns.jsonl.gz", "turns.jsonl", "turns"])
def test_a_compressed_file_is_unpacked_whatever_it_is_called(organisation, tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(as_bytes(make_record()) + b"\n"))

    assert run(tmp_path / name) == "1 frozen, 0 known already, 0 refused.\n"


def test_a_file_called_gz_that_is_not_compressed_is_read_as_it_is(organisation, tmp_path):
    assert run(write(tmp_path / "turns.jsonl.gz", make_record())) == "1 frozen, 0 known already, 0 refused.\n"


def test_a_file_compressed_in_pieces_is_read_to_its_end(organisation, tmp_path):
    path = tmp_path / "turns.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(as_bytes(make_record()) + b"\n") for _ in range(3)))

    assert run(path) == "3 frozen, 0 known already, 0 refused.\n"


def test_several_files_come_in_by_one_command(organisation, tmp_path):
    one = write(tmp_path / "one.jsonl", make_record(), make_record())
    other = tmp_path / "other.jsonl.gz"
    other.write_bytes(gzip.compress(as_bytes(make_record())))

    assert run(one, other) == "3 frozen, 0 known already, 0 refused.\n"


def test_labelled_turns_come_in_with_everything_they_hold(organisation, tmp_path):
    path = tmp_path / "labelled.jsonl.gz"
    path.write_bytes(gzip.compress(as_bytes(LABELLED_TURN) + b"\n"))

    run(path)

    kept = Snapshot.objects.get()
    assert json.loads(bytes(kept.record)) == LABELLED_TURN
    assert (kept.external_id, kept.conversation_id, kept.turn_index) == ("set-0001-3", "set-0001", 3)
    assert kept.attributions.get().found_count >= 4


def test_documents_of_labelled_turns_are_what_their_numbers_mean(organisation, tmp_path):
    turn = LABELLED_TURN | {"response": "The Heron is quiet [1]. It is by the river [2]."}

    run(write(tmp_path / "turns.jsonl", turn))

    kept = SnapshotDocuments.objects.get()
    assert (kept.source_count, kept.cited_count, kept.issues, kept.validity) == (1, 1, {"out_of_range": 1}, "yellow")


def test_importing_again_changes_nothing(organisation, tmp_path):
    path = write(tmp_path / "turns.jsonl", *(make_record() for _ in range(3)))
    run(path)
    before = state_of_tables()

    assert run(path, path) == "0 frozen, 6 known already, 0 refused.\n"
    assert state_of_tables() == before


def test_a_file_twice_in_one_command_comes_in_once(organisation, tmp_path):
    path = write(tmp_path / "turns.jsonl", make_record())

    assert run(path, path) == "1 frozen, 1 known already, 0 refused.\n"


def test_an_import_that_broke_in_the_middle_is_taken_up_again(organisation, tmp_path):
    """Batches that are done stay: the second run finds them known and does the rest."""
    small = ({"id": f"turn-{number}", "response": "x", "context": {}} for number in range(BATCH + 10))
    path = write(tmp_path / "turns.jsonl.gz", *small)
    whole = gzip.compress(path.read_bytes(), compresslevel=0)
    path.write_bytes(whole[: len(whole) - 200])
    said, complaint = refusal(path)
    done = Snapshot.objects.count()
    assert BATCH <= done < BATCH + 10
    assert said == f"{done} frozen, 0 known already, 1 refused.\n"
    assert "turns.jsonl.gz: the file is damaged" in complaint

    path.write_bytes(whole)

    assert run(path) == f"{BATCH + 10 - done} frozen, {done} known already, 0 refused.\n"
    assert Snapshot.objects.count() == QueueItem.objects.count() == len(events("snapshot.frozen")) == BATCH + 10


def test_bad_lines_are_named_and_the_rest_is_taken_in(organisation, tmp_path):
    one = write(tmp_path / "one.jsonl", make_record(id="good"), b"{", make_record(id="", context=[]), b"", make_record(context=[]))
    other = write(tmp_path / "other.jsonl", make_record(id="good", response="other"), make_record())

    said, complaint = refusal(one, other)

    assert said == "2 frozen, 0 known already, 4 refused.\n"
    assert complaint.splitlines() == [
        "Refused:",
        "one.jsonl, line 2: not JSON: Expecting property name enclosed in double quotes at line 1, column 2",
        "one.jsonl, line 3: id: is empty",
        "one.jsonl, line 5: context: must be an object of sections, not a list",
        "other.jsonl, line 1: id: a snapshot of this id has another content; it is not changed",
    ]


def test_of_many_bad_lines_the_first_are_named_and_all_are_counted(organisation, tmp_path):
    path = write(tmp_path / "turns.jsonl", *[b"[]"] * 25, make_record())

    said, complaint = refusal(path)

    assert said == "1 frozen, 0 known already, 25 refused.\n"
    assert complaint.splitlines()[1:] == [
        *(f"turns.jsonl, line {number}: must be a JSON object" for number in range(1, 21)),
        "… and 5 more",
    ]


@pytest.mark.parametrize("end", [b"\r\n", b"\n\n", b" \n"])
def test_lines_may_end_in_different_ways(organisation, tmp_path, end):
    records = [make_record(), make_record()]

    assert run(write(tmp_path / "turns.jsonl", *records, end=end)) == "2 frozen, 0 known already, 0 refused.\n"
    assert {bytes(each.record) for each in Snapshot.objects.all()} == {as_bytes(record) for record in records}


def test_the_last_line_needs_no_end(organisation, tmp_path):
    path = tmp_path / "turns.jsonl"
    path.write_bytes(as_bytes(make_record()) + b"\n" + as_bytes(make_record()))

    assert run(path) == "2 frozen, 0 known already, 0 refused.\n"


def test_a_line_that_is_too_long_is_refused_and_the_next_one_is_read(organisation, tmp_path, settings):
    settings.LARGEST_RECORD = 2 * 1024 * 1024
    fits = canonical_bytes(make_record(padding=""))
    fits = fits.replace(b'"padding":""', b'"padding":"' + b"p" * (settings.LARGEST_RECORD - len(fits)) + b'"')
    late = b" " * settings.LARGEST_RECORD + as_bytes(make_record())
    path = write(tmp_path / "turns.jsonl", fits, fits + b"  x", make_record(), fits.replace(b"ppp", b"pppp", 1), late, make_record())

    said, complaint = refusal(path)

    assert said == "3 frozen, 0 known already, 3 refused.\n"
    assert complaint.splitlines()[1:] == [f"turns.jsonl, line {number}: larger than 2 MB" for number in (2, 4, 5)]


@pytest.mark.parametrize("content", [b"", b"\n\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_holds_nothing(organisation, tmp_path, content):
    (tmp_path / "empty").write_bytes(content)

    assert run(tmp_path / "empty") == "0 frozen, 0 known already, 0 refused.\n"


def test_where_a_file_is_missing_nothing_is_imported(organisation, tmp_path):
    there = write(tmp_path / "there.jsonl", make_record())

    said, complaint = refusal(there, tmp_path / "missing.jsonl", tmp_path)

    assert (said, complaint) == ("", f"No such file: {tmp_path / 'missing.jsonl'}, {tmp_path}")
    assert not Snapshot.objects.exists()


@pytest.mark.parametrize("damage", ["cut", "changed", "garbage behind"])
def test_what_stands_before_the_damage_of_a_file_is_frozen_and_the_next_file_is_read(organisation, tmp_path, damage):
    whole = gzip.compress(b"".join(as_bytes(make_record()) + b"\n" for _ in range(2)), compresslevel=0)
    damaged = {"cut": whole[:-300], "changed": whole[:-6] + b"\0\0" + whole[-4:], "garbage behind": whole + b"garbage"}[damage]
    path = tmp_path / "damaged.gz"
    path.write_bytes(damaged)

    said, complaint = refusal(path, write(tmp_path / "next.jsonl", make_record(id="next")))

    assert Snapshot.objects.filter(external_id="next").exists()
    assert Snapshot.objects.count() >= 2
    assert complaint.splitlines()[1].startswith("damaged.gz: the file is damaged, ")
    assert complaint.endswith("; what came before is frozen")
    assert said.endswith("1 refused.\n")


def test_where_there_is_one_organisation_it_need_not_be_named(organisation, tmp_path):
    run(write(tmp_path / "turns.jsonl", make_record()))

    assert Snapshot.objects.get().organisation == organisation


def test_where_there_are_several_one_has_to_be_named(organisation, tmp_path):
    other = make_organisation("Elsewhere Clinic")
    path = write(tmp_path / "turns.jsonl", make_record())

    assert refusal(path)[1] == "Say whose they are with --organisation SLUG."
    assert refusal(path, organisation="nobody")[1] == "There is no organisation nobody."
    run(path, organisation=other.slug)

    assert Snapshot.objects.count() == 0
    with tenant.within(other.pk):
        assert Snapshot.objects.get().organisation == other


def test_where_there_is_no_organisation_nothing_can_be_imported(db, tmp_path):
    assert refusal(write(tmp_path / "turns.jsonl", make_record()))[1] == "There is no organisation yet."


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "is_shown"), [(Terminal, True), (io.StringIO, False)])
def test_progress_is_shown_on_a_terminal_only(organisation, tmp_path, monkeypatch, stream, is_shown):
    path = write(tmp_path / "turns.jsonl", *(make_record() for _ in range(3)))
    monkeypatch.setattr(sys, "stderr", stream())

    run(path)

    shown = sys.stderr.getvalue()
    assert ("turns.jsonl: 100%" in shown) is is_shown
    assert bool(shown) is is_shown
