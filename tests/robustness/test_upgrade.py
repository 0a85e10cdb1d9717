"""An upgrade with data: a later release with a further migration takes over a database or a backup, and nothing is lost.

The later release is a copy of this tree in which a model has a further column and there is a further table. Its migration is the one
that `makemigrations` writes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest
from psycopg import sql

from benchmarks.site import ROOT
from reviewers.ledger.backups import PASSING
from tests.factories import make_record
from tests.robustness.processes import House, copy_of, environment_of, manage

pytestmark = pytest.mark.exhaustive

MODELS = Path("reviewers") / "snapshots" / "models.py"
COLUMN = "    instruction_switch = models.BooleanField()\n"
FURTHER_COLUMN = COLUMN + "    language = models.CharField(max_length=20, null=True)\n"
FURTHER_TABLE = '''

class Remark(InsertOnly):
    """A further record."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+")
    words = models.TextField()
'''

GROWING = ("django_migrations", "django_content_type", "auth_permission")
"""Tables in which a migration notes what is new."""


@pytest.fixture(scope="module")
def later_release() -> Iterator[Path]:
    """A tree with one more migration."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        tree = Path(parent) / "later"
        tree.mkdir()
        for name in ("attribution", "reviewers", "templates", "static", "compiled"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "manage.py", tree)
        models = (tree / MODELS).read_text()
        assert models.count(COLUMN) == 1
        (tree / MODELS).write_text(models.replace(COLUMN, FURTHER_COLUMN) + FURTHER_TABLE)
        made = manage_later(tree, Path(parent) / "nobody" / "var", "makemigrations", "snapshots", "--name", "later")
        assert made.returncode == 0, made.stderr
        assert (tree / "reviewers" / "snapshots" / "migrations" / "0002_later.py").exists()
        yield tree


@pytest.fixture
def earlier(loaded_folder) -> Iterator[House]:
    """The demonstration under this release, sealed, with a backup beside it."""
    with copy_of(loaded_folder) as folder:
        assert manage(folder, "seal").returncode == 0
        made = manage(folder, "backup", folder.with_name("backup"))
        assert made.returncode == 0, made.stderr
        yield House(folder)


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """An empty place with a short name: the path of a socket in it is limited to about a hundred bytes."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def manage_later(tree: Path, folder: Path, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a management command of the later release to its end."""
    command = [sys.executable, "manage.py", *map(str, arguments)]
    return subprocess.run(  # noqa: S603 — the site's own commands
        command, cwd=tree, env=environment_of(folder, **more), capture_output=True, text=True, timeout=900, check=False
    )


def rows_of(house: House, columns: dict[str, list[str]] | None = None) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the columns of each table, or those that are given, and digests of the rows in them."""
    house.start_database()
    with psycopg.connect(house.url(), autocommit=True) as connection:
        found = columns or _columns(connection)
        digests = {
            table: [
                digest
                for (digest,) in connection.execute(
                    sql.SQL("SELECT md5(row({})::text) FROM {} ORDER BY 1").format(
                        sql.SQL(", ").join(map(sql.Identifier, names)), sql.Identifier(table)
                    )
                )
            ]
            for table, names in found.items()
        }
    house.stop_database()
    return found, digests


def _columns(connection: psycopg.Connection) -> dict[str, list[str]]:
    asked = """
        SELECT c.table_name, array_agg(c.column_name::text ORDER BY c.ordinal_position) FROM information_schema.columns AS c
        JOIN pg_tables AS t ON t.tablename = c.table_name AND t.schemaname = 'public' WHERE c.table_schema = 'public' GROUP BY 1
    """
    return {table: names for table, names in connection.execute(asked) if table not in PASSING}


def assert_all_is_there(before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    """Each row of before is there with the values that it had, and no table but those that grow has another one."""
    assert {table for table, rows in before.items() if table not in GROWING and rows != after[table]} == set()
    assert all(set(before[table]) <= set(after[table]) for table in GROWING)
    assert len(before["ledger_auditevent"]) > 1_000


def test_migrating_a_database_of_the_release_before_loses_nothing_and_it_verifies_and_goes_on(earlier, later_release, tmp_path):
    columns, before = rows_of(earlier)

    migrated = manage_later(later_release, earlier.folder, "migrate")

    assert migrated.returncode == 0, migrated.stderr
    assert_all_is_there(before, rows_of(earlier, columns)[1])
    verified = manage_later(later_release, earlier.folder, "verify")
    assert verified.returncode == 0, verified.stderr
    turn = tmp_path / "turn.jsonl"
    turn.write_text(json.dumps(make_record(id="after-the-upgrade")) + "\n")
    for command in (("import", turn, "--organisation", "harbor-lights"), ("seal",), ("verify",)):
        done = manage_later(later_release, earlier.folder, *command)
        assert done.returncode == 0, done.stderr
    again = manage_later(later_release, earlier.folder, "makemigrations", "--check", "--dry-run")
    assert again.returncode == 0, again.stdout


def test_restoring_a_backup_of_the_release_before_upgrades_it_and_loses_nothing(earlier, later_release, elsewhere):
    columns, before = rows_of(earlier)
    empty, backup = elsewhere / "upgraded" / "var", earlier.folder.with_name("backup")

    restored = manage_later(later_release, empty, "restore", backup, FOOTNOTE_LEDGER=str(earlier.folder / "ledger"))

    assert (restored.returncode, restored.stderr) == (0, "")
    assert_all_is_there(before, rows_of(House(empty), columns)[1])
    assert manage_later(later_release, empty, "verify", FOOTNOTE_LEDGER=str(earlier.folder / "ledger")).returncode == 0


def test_a_backup_of_the_later_release_is_refused_by_the_release_before(earlier, later_release, elsewhere):
    assert manage_later(later_release, earlier.folder, "migrate").returncode == 0
    made = manage_later(later_release, earlier.folder, "backup", elsewhere / "later")
    assert made.returncode == 0, made.stderr

    refused = manage(elsewhere / "refused" / "var", "restore", elsewhere / "later")

    assert refused.returncode == 1
    assert "is of another version of Footnote, which has the migration snapshots.0002_later" in refused.stderr
