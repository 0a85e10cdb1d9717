"""`manage.py backup` and `restore`: everything comes back as it was sealed, and nobody goes back behind what was published unnoticed."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import sql

from reviewers.ledger.backups import DUMP, MANIFEST, PASSING
from reviewers.ledger.merkle.notes import read_checkpoint
from tests.robustness.processes import House, copy_of, manage

RIGHTS = """
SELECT table_name || ' ' || privilege_type FROM information_schema.role_table_grants WHERE grantee = 'footnote_web'
UNION ALL SELECT tablename || ' ' || policyname || ' ' || qual FROM pg_policies
UNION ALL SELECT relname || ' secured' FROM pg_class WHERE relrowsecurity
UNION ALL SELECT tgrelid::regclass::text || ' ' || pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT relname || ' of ' || pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'public'::regnamespace
"""


@pytest.fixture(scope="module")
def source(loaded_folder) -> Iterator[House]:
    """The demonstration, all of it sealed, and a backup beside it."""
    with copy_of(loaded_folder) as folder:
        assert manage(folder, "seal").returncode == 0
        made = manage(folder, "backup", backup_of(folder))
        assert made.returncode == 0, made.stderr
        yield House(folder)


@pytest.fixture
def empty() -> Iterator[Path]:
    """The folder of a site with nothing in it."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        yield Path(parent) / "elsewhere" / "var"


def backup_of(folder: Path) -> Path:
    return folder.with_name("backup")


def restore(source: House, empty: Path, **more: str):
    """Restore on a machine that has the folder of keys and published checkpoints."""
    return manage(empty, "restore", backup_of(source.folder), **{"FOOTNOTE_LEDGER": str(source.folder / "ledger")} | more)


@contextmanager
def database_of(house: House) -> Iterator[psycopg.Connection]:
    house.start_database()
    with psycopg.connect(house.url(), autocommit=True) as connection:
        yield connection
    house.stop_database()


def read_rows(connection: psycopg.Connection) -> dict[str, str]:
    """Return a digest of the rows of each table."""
    tables = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
    digest = "SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {} AS t"
    return {name: connection.execute(sql.SQL(digest).format(sql.Identifier(name))).fetchone()[0] for name in tables if name not in PASSING}


def read_rights(connection: psycopg.Connection) -> list[str]:
    """Return all rights, policies and conditions, without the casts and brackets that PostgreSQL places anew when it reads its own text."""
    return sorted(re.sub(r"[()]|::[a-z ]+(\[\])?", "", right) for (right,) in connection.execute(RIGHTS))


def size_in(backup: Path) -> int:
    (log,) = json.loads((backup / MANIFEST).read_text())["logs"]
    return read_checkpoint(log["checkpoint"]).size


def test_all_rows_rights_and_rules_come_back_and_are_verified(source, empty):
    restored = restore(source, empty)

    assert (restored.returncode, restored.stderr) == (0, "")
    assert f"harbor-lights: {size_in(backup_of(source.folder)):,} events sealed, 0 waiting" in restored.stdout
    with database_of(source) as before, database_of(House(empty)) as after:
        assert len(read_rows(before)) > 60
        assert read_rows(after) == read_rows(before)
        assert read_rights(after) == read_rights(before)
    assert manage(empty, "verify", FOOTNOTE_LEDGER=str(source.folder / "ledger")).returncode == 0


def test_nobody_else_can_read_a_backup(source):
    backup = backup_of(source.folder)

    assert [each.stat().st_mode & 0o077 for each in (backup, backup / DUMP, backup / MANIFEST)] == [0, 0, 0]


def test_no_private_key_is_in_a_backup(source):
    (key,) = (source.folder / "ledger" / "keys").glob("*.key")
    dump = (backup_of(source.folder) / DUMP).read_bytes()

    assert key.read_text().strip() not in (backup_of(source.folder) / MANIFEST).read_text()
    assert key.read_text().strip().encode() not in dump


def test_a_state_behind_a_published_checkpoint_is_named_loudly_and_a_new_log_tells_of_it(source, empty):
    with copy_of(source.folder) as later:
        shutil.copytree(backup_of(source.folder), backup_of(later))
        assert manage(later, "add_member", "new@example.org", "--role", "reviewer", "--organisation", "harbor-lights").returncode == 0
        assert manage(later, "seal").returncode == 0
        published = [note.read_text() for note in (later / "ledger" / "checkpoints").glob("*.txt")]
        before, after = size_in(backup_of(later)), read_checkpoint(published[0]).size

        restored = restore(House(later), empty)

        assert restored.returncode == 2
        assert "THIS STATE IS BEHIND A PUBLISHED CHECKPOINT." in restored.stderr
        assert f"harbor-lights: {after:,} events were published as sealed, and the backup has {before:,}." in restored.stderr
        assert [note.read_text() for note in (later / "ledger" / "checkpoints").glob("*.txt")] == published
        with_keys = {"FOOTNOTE_LEDGER": str(later / "ledger")}
        assert "was published, and is not here" in manage(empty, "verify", **with_keys).stderr
        manage(empty, "add_member", "new@example.org", "--role", "reviewer", "--organisation", "harbor-lights", **with_keys)
        manage(empty, "seal", **with_keys)
        assert manage(empty, "verify", **with_keys).returncode == 0
    with database_of(House(empty)) as connection:
        body = connection.execute("SELECT body FROM ledger_auditevent WHERE action = 'log.started' ORDER BY id DESC LIMIT 1").fetchone()[0]
        assert json.loads(body)["details"]["last"] == published[0]


def test_a_database_with_something_in_it_is_not_touched(source):
    with database_of(source) as connection:
        before = read_rows(connection)

    refused = restore(source, source.folder)

    assert (refused.returncode, "The database is not empty." in refused.stderr) == (1, True)
    with database_of(source) as connection:
        assert read_rows(connection) == before


def flip(backup: Path) -> None:
    content = bytearray((backup / DUMP).read_bytes())
    content[len(content) // 2] ^= 1
    (backup / DUMP).write_bytes(content)


def change_manifest(**changes: object):
    return lambda backup: (backup / MANIFEST).write_text(json.dumps(json.loads((backup / MANIFEST).read_text()) | changes))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (flip, "is not the one that the manifest names"),
        (lambda backup: (backup / DUMP).unlink(), "holds no whole backup"),
        (lambda backup: (backup / MANIFEST).write_text("{}"), "holds no whole backup"),
        (change_manifest(format=1), "This backup has format 1"),
        (change_manifest(forms={"review.0001_initial": "0" * 64}), "with another migration review.0001_initial, which does something else"),
        (change_manifest(migrations=["review.9999_later"]), "another version of Footnote, which has the migration review.9999_later"),
    ],
    ids=["a bit", "no dump", "no manifest", "format", "edited", "later"],
)
@pytest.mark.exhaustive
def test_a_backup_that_is_not_whole_or_not_ours_is_refused_and_nothing_restored(source, empty, damage, told):
    with copy_of(backup_of(source.folder)) as backup:
        damage(backup)

        refused = manage(empty, "restore", backup)

    assert (refused.returncode, told in refused.stderr) == (1, True), refused.stderr
    with database_of(House(empty)) as connection:
        assert read_rows(connection) == {}


@pytest.mark.exhaustive
def test_a_manifest_of_other_logs_is_noticed(source, empty):
    with copy_of(backup_of(source.folder)) as backup:
        change_manifest(logs=[])(backup)

        refused = manage(empty, "restore", backup)

    assert (refused.returncode, "are not those that the manifest names. Do not work with this database." in refused.stderr) == (1, True)


@pytest.mark.exhaustive
def test_on_a_machine_without_the_ledgers_folder_it_says_what_nobody_can_notice(source, empty):
    restored = restore(source, empty, FOOTNOTE_LEDGER=str(empty / "ledger"))

    assert (restored.returncode, restored.stderr) == (0, "")
    assert "Nothing here shows if more was sealed after the backup." in restored.stdout
    assert "the private key of its log is not in" in restored.stdout
    assert manage(empty, "verify").returncode == 0


@pytest.mark.exhaustive
def test_rows_that_were_changed_before_the_backup_are_named_after_restoring_it(source, empty):
    with copy_of(source.folder) as changed:
        with database_of(House(changed)) as connection:
            connection.execute("ALTER TABLE snapshots_snapshot DISABLE TRIGGER USER")
            connection.execute("UPDATE snapshots_snapshot SET external_id = external_id || '!'")
            connection.execute("ALTER TABLE snapshots_snapshot ENABLE TRIGGER USER")
        assert manage(changed, "backup", backup_of(changed)).returncode == 0

        restored = restore(House(changed), empty)

    assert restored.returncode == 1
    assert "is not as it was sealed. Do not work with it." in restored.stderr
    assert "snapshots_snapshot" in restored.stderr


@pytest.mark.exhaustive
def test_a_folder_that_is_there_is_not_written_over(source):
    before = (backup_of(source.folder) / MANIFEST).read_bytes()

    refused = manage(source.folder, "backup", backup_of(source.folder))

    assert (refused.returncode, "is there already" in refused.stderr) == (1, True)
    assert (backup_of(source.folder) / MANIFEST).read_bytes() == before
