"""``pg_dump`` and ``pg_restore``: which programs fit a server, and how they reach its database."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from psycopg.conninfo import make_conninfo

from reviewers.devtools.postgres.cluster import installation

_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_OWN_WORDS = re.compile(r"^(?:pg_dump|pg_restore): .*", re.MULTILINE)
"""The programs' own messages. The lines below them may quote a row."""


class DumpError(Exception):
    """A dump could not be made or restored; the message is for whoever runs the command."""


def dump(database: Mapping[str, Any], major: int, file: Path, *, snapshot: str, empty_tables: Sequence[str]) -> None:
    """Write a database to a file in PostgreSQL's custom format, as the exported ``snapshot`` sees it.

    Owners and rights are left out: they are set for the roles of the site that restores it. Of ``empty_tables`` no row is written.
    """
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--file={file}"]
    _run("pg_dump", database, major, *options, *(f"--exclude-table-data={table}" for table in empty_tables))


def restore_dump(database: Mapping[str, Any], major: int, file: Path) -> None:
    """Restore a dump into an empty database, in one transaction: all of it or nothing."""
    _run("pg_restore", database, major, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", file)


def _run(program: str, database: Mapping[str, Any], major: int, *arguments: str | Path) -> None:
    """Run a program. The password is in its environment, for everybody may read its arguments."""
    address = {"dbname": database["NAME"], "user": database["USER"], "host": database["HOST"], "port": database["PORT"]}
    target = make_conninfo(**{key: value for key, value in address.items() if value}, **database["OPTIONS"])
    done = subprocess.run(  # noqa: S603 — our own command
        [_find(program, major), f"--dbname={target}", "--no-password", *arguments],
        env=os.environ | ({"PGPASSWORD": database["PASSWORD"]} if database["PASSWORD"] else {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise DumpError("\n".join(_OWN_WORDS.findall(done.stderr)) or f"{program} ended with status {done.returncode}.")


def _find(program: str, major: int) -> Path:
    """Return the program of a server's major version: what a newer one writes, this server may not be able to read."""
    on_path = shutil.which(program)
    places = [Path(f"/usr/lib/postgresql/{major}/bin") / program, installation() / "bin" / program, *([Path(on_path)] if on_path else [])]
    for place in places:
        if place.exists() and _major_of(place) == major:
            return place
    raise DumpError(
        f"The database is PostgreSQL {major}, and there is no {program} of that version here. Install PostgreSQL's client programs."
    )


def _major_of(program: Path) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603 — PostgreSQL's
    found = _VERSION.search(told)
    return int(found[1]) if found else 0
