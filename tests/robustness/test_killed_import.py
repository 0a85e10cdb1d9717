from __future__ import annotations

import hashlib
import json

import pytest

from reviewers.demonstration.generator import generate
from tests.robustness.keeping import check_is_there
from tests.robustness.processes import manage, managing, wait_until

RECORDS = 1_100
SERIES = "imported"


def write_file(path):
    """Returns the SHA-256 of each record by its id."""
    records = [record | {"id": f"{SERIES}-{record['id']}"} for record in generate(RECORDS)]
    lines = [json.dumps(record).encode() for record in records]
    path.write_bytes(b"\n".join(lines))
    return {record["id"]: hashlib.sha256(line).hexdigest() for record, line in zip(records, lines, strict=True)}


def count_imported(connection):
    return connection.execute("SELECT count(*) FROM snapshots_snapshot WHERE starts_with(external_id, %s)", [SERIES]).fetchone()[0]


@pytest.mark.exhaustive
def test_an_import_that_was_killed_is_completed_by_running_it_again(house, connection, tmp_path):
    file = tmp_path / "turns.jsonl"
    sent = write_file(file)

    with managing(house.folder, "import", file):
        wait_until(lambda: count_imported(connection))
    before = count_imported(connection)
    again = manage(house.folder, "import", file)

    assert 0 < before < RECORDS
    assert again.stdout == f"{RECORDS - before} frozen, {before} known already, 0 refused.\n"
    check_is_there(connection, SERIES, sent)
