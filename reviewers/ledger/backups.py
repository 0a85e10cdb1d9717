"""Backups: a dump of the database with a manifest, and restoring it without losing sight of what was published.

The manifest names the dump by its digest, and each log with its last checkpoint and key. Private keys are not in a backup, as they are not
in the database: a copy of a backup signs nothing. The folder of keys and published checkpoints needs a copy of its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.db import connections, transaction
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.writer import MigrationWriter
from msgspec import DecodeError, Struct
from msgspec import json as quick
from psycopg.conninfo import make_conninfo

from reviewers.accounts.models import Organisation
from reviewers.devtools.postgres import installation
from reviewers.ledger.logs import KeyMissing, load_signer, verifier_of
from reviewers.ledger.merkle.notes import FormatError, read_checkpoint, read_verifier
from reviewers.ledger.models import Checkpoint, Log, LogKey
from reviewers.ledger.sequencer import open_published
from reviewers.ledger.verification.organisation import Verified, list_published_gone, verify, verify_none_named_gone, verify_shared
from reviewers.web.config import OWNER, write_private
from reviewers.web.tenancy import tenant

DUMP, MANIFEST = "database.dump", "manifest.json"
FORMAT = 2

PASSING = ("django_session", "web_cache")
"""Tables of which no row is in a backup: after restoring it, everybody signs in again."""

_IS_EMPTY = """
SELECT NOT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%')
"""


class BackupError(Exception):
    """A backup could not be made or restored; the message is for the person who runs the command."""


class SealedLog(Struct, frozen=True, forbid_unknown_fields=True):
    """The newest log of an organisation as the dump has it: its last checkpoint, and the key that signs next."""

    organisation: UUID
    slug: str
    checkpoint: str
    key: str


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a backup. ``migrations`` are those the database had, ``forms`` the digests of those of Footnote by their names."""

    format: int
    made_at: datetime
    postgresql: int
    dump_bytes: int
    dump_sha256: str
    logs: list[SealedLog]
    migrations: list[str]
    forms: dict[str, str]


def make_backup(folder: Path, *, now: datetime) -> Manifest:
    """Write a backup into a new folder that only its owner can read; raise ``BackupError`` if that fails.

    It has another name until it is whole.
    """
    if folder.exists():
        raise BackupError(f"{folder} is there already. Name a folder that is not.")
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(mode=0o700, parents=True)
        manifest = _write(unfinished, now)
        unfinished.rename(folder)
    except (DumpError, OSError) as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise BackupError(str(error)) from error
    return manifest


def _write(folder: Path, now: datetime) -> Manifest:
    """Write dump and manifest of one moment: both see the database as the same exported snapshot."""
    connection, file = connections[OWNER], folder / DUMP
    with transaction.atomic(using=OWNER), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        logs = _sealed_logs()
        migrations = _applied()
        dump(settings.DATABASES[OWNER], _major(), file, snapshot=snapshot, empty_tables=PASSING)
    file.chmod(0o600)
    with file.open("rb") as written:
        os.fsync(written.fileno())
    forms = {name: form for name, form in _forms().items() if name in migrations}
    manifest = Manifest(FORMAT, now, _major(), file.stat().st_size, _digest(file), logs, migrations, forms)
    write_private(folder / MANIFEST, quick.format(quick.encode(manifest)).decode() + "\n")
    return manifest


def _sealed_logs() -> list[SealedLog]:
    """Return the newest log of each organisation that has one."""
    newest = Log.objects.using(OWNER).order_by("organisation_id", "-epoch").distinct("organisation_id")
    slugs = dict(Organisation.objects.using(OWNER).values_list("pk", "slug"))
    found = [(log, Checkpoint.objects.using(OWNER).filter(log=log).order_by("size").last()) for log in newest]
    keys = {log.id: LogKey.objects.using(OWNER).filter(log=log).latest("id") for log, _ in found}
    return [
        SealedLog(log.organisation_id, slugs.get(log.organisation_id, ""), last.note, str(verifier_of(keys[log.id], log)))
        for log, last in found
        if last is not None
    ]


def _major() -> int:
    connections[OWNER].ensure_connection()
    return int(connections[OWNER].connection.info.server_version // 10_000)


def _applied() -> list[str]:
    return sorted(".".join(each) for each in MigrationLoader(connections[OWNER]).applied_migrations)


def _forms() -> dict[str, str]:
    """Return the digest of what each migration of Footnote does: one that was edited since makes another database under the same name."""
    found = MigrationLoader(None).disk_migrations.items()
    own = {".".join(key): migration for key, migration in found if type(migration).__module__.startswith("reviewers.")}
    return {name: _form_of(migration) for name, migration in own.items()}


def _form_of(migration: Migration) -> str:
    return hashlib.sha256(MigrationWriter(migration, include_header=False).as_string().encode()).hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Behind:
    """An organisation whose log was published further than the backup goes, by the sizes of both; ``slug`` is its id if it is gone."""

    slug: str
    published: int
    restored: int


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of restoring: what was verified, which logs are behind, were published anew, or have no private key here."""

    manifest: Manifest
    verified: dict[str, Verified]
    behind: Sequence[Behind]
    unpublished: Sequence[str]
    without_key: Sequence[str]


def restore_backup(folder: Path) -> Restored:
    """Restore a backup into the empty database and verify it.

    Raise ``BackupError`` for a backup that is not whole or not of this version, and a database that is not empty; raise ``LedgerMismatch``
    if what was restored is not what was sealed. A published checkpoint is never replaced by one before it.
    """
    manifest = read_manifest(folder)
    _check_is_empty()
    try:
        restore_dump(settings.DATABASES[OWNER], _major(), folder / DUMP)
    except DumpError as error:
        raise BackupError(f"Nothing was restored.\n{error}") from error
    call_command("migrate", verbosity=0)  # sets the rights of the web's role, and upgrades
    if _sealed_logs() != manifest.logs:
        raise BackupError("The logs that were restored are not those that the manifest names. Do not work with this database.")
    verified = _verify(manifest.logs)
    behind, unpublished = _compare_published(manifest.logs)
    return Restored(manifest, verified, behind, unpublished, [each.slug for each in manifest.logs if not _has_key(each)])


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup whose dump is the one that it names; raise ``BackupError`` otherwise."""
    try:
        manifest = quick.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        digest = _digest(folder / DUMP)
    except (OSError, DecodeError) as error:
        raise BackupError(f"{folder} holds no whole backup: {error}") from error
    if manifest.format != FORMAT:
        raise BackupError(f"This backup has format {manifest.format}, and this version reads {FORMAT}.")
    if digest != manifest.dump_sha256:
        raise BackupError(f"{DUMP} is not the one that the manifest names: its SHA-256 is {digest}.")
    if unknown := set(manifest.migrations) - {".".join(each) for each in MigrationLoader(None).disk_migrations}:
        raise BackupError(f"This backup is of another version of Footnote, which has the migration {min(unknown)}.")
    forms = _forms()
    if other := [name for name, form in manifest.forms.items() if form != forms.get(name)]:
        told = f"{min(other)}, which does something else in this one"
        raise BackupError(f"This backup is of a version of Footnote with another migration {told}. Restore it with that version.")
    return manifest


def _check_is_empty() -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(_IS_EMPTY)
        (is_empty,) = cursor.fetchone()
    if not is_empty:
        raise BackupError("The database is not empty. Restore into a new one; nothing was changed.")


def _verify(logs: Sequence[SealedLog]) -> dict[str, Verified]:
    """Verify each organisation as if the manifest's checkpoint were the published one; raise ``LedgerMismatch`` if something differs."""
    checkpoints = {log.organisation: log.checkpoint for log in logs}
    verify_none_named_gone()
    verify_shared()
    organisations = Organisation.objects.order_by("slug").values_list("slug", "pk")
    return {slug: verify(organisation_id=pk, published=checkpoints.get(pk, "")) for slug, pk in organisations}


def _compare_published(logs: Sequence[SealedLog]) -> tuple[list[Behind], list[str]]:
    """Compare the restored logs with the published checkpoints; publish where there is none, or an earlier one.

    Return the logs that are behind, and the organisations of those that were published.
    """
    behind = [Behind(str(gone), _size_published(gone), 0) for gone in list_published_gone()]
    unpublished = []
    for log in logs:
        with open_published(log.organisation) as shelf:
            published = shelf.read()
            if published and not _is_restored(published):
                behind.append(Behind(log.slug, read_checkpoint(published).size, read_checkpoint(log.checkpoint).size))
            elif published != log.checkpoint:
                shelf.write(log.checkpoint)
                unpublished.append(log.slug)
    return behind, unpublished


def _is_restored(note: str) -> bool:
    with tenant.across_all():
        return Checkpoint.objects.filter(note=note).exists()


def _size_published(organisation_id: UUID) -> int:
    with open_published(organisation_id) as shelf:
        return read_checkpoint(shelf.read()).size


def _has_key(log: SealedLog) -> bool:
    try:
        load_signer(read_verifier(log.key))
    except (KeyMissing, FormatError):
        return False
    return True


_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_OWN_WORDS = re.compile(r"^(?:pg_dump|pg_restore): .*", re.MULTILINE)
"""The programs' own messages. The lines below them may quote a row."""


# Dumps, by PostgreSQL's own programs.


class DumpError(Exception):
    """A dump could not be made or restored; the message is for the person who runs the command."""


def dump(database: Mapping[str, Any], major: int, file: Path, *, snapshot: str, empty_tables: Sequence[str]) -> None:
    """Write a database to a file in PostgreSQL's custom format, as the exported ``snapshot`` sees it.

    Owners and rights are left out: they are set for the roles of the site that restores it. Of ``empty_tables`` no row is written.
    """
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}", f"--file={file}"]
    _run_program("pg_dump", database, major, *options, *(f"--exclude-table-data={table}" for table in empty_tables))


def restore_dump(database: Mapping[str, Any], major: int, file: Path) -> None:
    """Restore a dump into an empty database, in one transaction: all of it or nothing."""
    _run_program("pg_restore", database, major, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", file)


def _run_program(program: str, database: Mapping[str, Any], major: int, *arguments: str | Path) -> None:
    """Run a program. The password is in its environment, for everybody may read its arguments."""
    address = {"dbname": database["NAME"], "user": database["USER"], "host": database["HOST"], "port": database["PORT"]}
    target = make_conninfo(**{key: value for key, value in address.items() if value}, **database["OPTIONS"])
    done = subprocess.run(  # noqa: S603 — our own command
        [_find_program(program, major), f"--dbname={target}", "--no-password", *arguments],
        env=os.environ | ({"PGPASSWORD": database["PASSWORD"]} if database["PASSWORD"] else {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise DumpError("\n".join(_OWN_WORDS.findall(done.stderr)) or f"{program} ended with status {done.returncode}.")


def _find_program(program: str, major: int) -> Path:
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
