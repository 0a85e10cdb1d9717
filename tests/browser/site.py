"""The site as it is deployed, started for the browser tests: gunicorn with its own database, in which the demonstration is loaded."""

from __future__ import annotations

import http.cookiejar
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from reviewers.demonstration.loader import SLUG
from reviewers.web.config import DEFAULT, OWNER
from tests.browser.commands import Commands
from tests.factories import make_record

OUTSIDER = "outsider"
CHOSEN_PASSWORD = "quiet river over seven stones"
_PATIENCE = 600
_numbers = itertools.count(1)
_commands: dict[str, Commands] = {}
"""By the database of the site beside which they run."""
_years = itertools.count(2018, -1)
"""Before all days that other tests give their records."""

_JUDGED = """
INSERT INTO calibration_judgerun (id, organisation_id, plan_id, model, requested_by_id, asked_at, total, done, unread, tokens_in,
    tokens_out, finished_at, reason)
SELECT gen_random_uuid(), organisation_id, id, 'careful-1', created_by_id, now(), 8, 8, 1, 48210, 3120, now(), ''
FROM review_plan WHERE id = %(plan)s RETURNING id
"""
_JUDGE_LABELS = """
INSERT INTO calibration_judgelabel (id, organisation_id, run_id, snapshot_id, section, path, method, is_used, created_at)
SELECT DISTINCT ON (label.snapshot_id, section, path) gen_random_uuid(), label.organisation_id, %(run)s, label.snapshot_id, section, path,
    (ARRAY['explicit', 'exact', 'normalized'])[1 + length(path) %% 3], (verdict = 'correct') = (length(path) %% 7 > 0), now()
FROM review_label AS label JOIN review_planitem AS drawn ON drawn.item_id = label.snapshot_id WHERE drawn.plan_id = %(plan)s
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A running site."""

    port: int
    folder: Path
    database: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def password(self) -> str:
        return (self.folder / "demo" / "password").read_text().strip()

    def password_of(self, role: str) -> str:
        """Of a sign-in of the demonstration, or of the auditor from outside, who is let in when first asked for."""
        if role != OUTSIDER:
            return self.password
        kept = self.folder / OUTSIDER
        if not kept.exists():
            kept.write_text(self.add_member(f"{OUTSIDER}@harborlights.example", "Solveig Brandt-Achterberg", "auditor"))
            self._mark_external()
        return kept.read_text()

    def freeze_two(self, **changes: Any) -> tuple[str, str]:
        """Two records that stand at the head of the queue, one after the other, before all that were there."""
        second, first = (self.freeze(**changes | {"answered_at": f"{next(_years)}-01-01T00:00:00Z"}) for _ in range(2))
        return first, second

    def end_leases(self) -> None:
        """Nobody holds anything any more."""
        with psycopg.connect(self.database) as connection:
            connection.execute("DELETE FROM review_lease")

    def work(self) -> str:
        """A worker does what waits, and ends; returns what it printed, the mail it sent among it."""
        return self._succeed("procrastinate", "worker", "--one-shot")

    def add_member(self, email: str, name: str, role: str) -> str:
        """Somebody more in the demonstration's organisation; returns their password."""
        return self.accept(self._succeed("add_member", email, "--role", role, "--organisation", SLUG), name)

    def accept(self, said: str, name: str) -> str:
        """Open the link of an invitation in what was printed or sent, and accept it; returns the password that was chosen."""
        (path,) = re.findall(r"/accounts/invitation/[0-9a-f-]+/[0-9a-f]{64}/", said)
        cookies = http.cookiejar.CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
        browser.open(f"{self.address}{path}", timeout=_PATIENCE).close()
        token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
        form = {"csrfmiddlewaretoken": token, "name": name, "password1": CHOSEN_PASSWORD, "password2": CHOSEN_PASSWORD}
        browser.open(f"{self.address}{path}", urllib.parse.urlencode(form).encode(), timeout=_PATIENCE).close()
        return CHOSEN_PASSWORD

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a management command and return its result, whether it fails or not."""
        if self.database not in _commands:
            _commands[self.database] = Commands(_environment(self.folder, str(conninfo_to_dict(self.database)["dbname"])))
        return _commands[self.database].run(*arguments)

    def _succeed(self, *arguments: str) -> str:
        done = self.manage(*arguments)
        done.check_returncode()
        return done.stdout.decode()

    def fail_search(self, path: str) -> None:
        """As a worker that was told so by an endpoint writes it down."""
        with psycopg.connect(self.database) as connection:
            connection.execute(
                "INSERT INTO snapshots_citationsearchresult"
                " (id, organisation_id, search_id, outcome, reason, model, found_count, refused_count, attempts, begun_at, ended_at)"
                " SELECT gen_random_uuid(), s.organisation_id, s.id, 'failed', 'the key was refused (401)', '', 0, 0, 1, now(), now()"
                " FROM snapshots_citationsearch s JOIN snapshots_snapshotattribution a ON a.id = s.attribution_id"
                " WHERE a.snapshot_id = %s",
                [path.split("/")[2]],
            )

    def raise_alarm(self) -> None:
        """As a worker that looked at a day writes it down."""
        with psycopg.connect(self.database) as connection:
            connection.execute(
                "INSERT INTO quality_alarm (id, organisation_id, model, prompt_version, figure, rate, trials, hits, evidence, since, day,"
                " raised_at) SELECT gen_random_uuid(), id, 'caremate-4', 'match v18', 'unknown', 0.04, 210, 31, 4000,"
                " date '2026-02-02' + open_alarms, date '2026-02-09' + open_alarms, now() FROM accounts_organisation"
            )
            connection.execute("UPDATE accounts_organisation SET open_alarms = open_alarms + 1")

    def judge(self, plan: str) -> str:
        """As a worker writes down what a model said of a plan's answers: now and then something else than people did."""
        with psycopg.connect(self.database) as connection:
            run = connection.execute(_JUDGED, {"plan": plan}).fetchone()
            assert run
            connection.execute(_JUDGE_LABELS, {"plan": plan, "run": run[0]})
        return str(run[0])

    def _mark_external(self) -> None:
        """As an administrator does."""
        with psycopg.connect(self.database) as connection:
            connection.execute(
                "UPDATE accounts_membership SET is_external = true, external_reason = 'The yearly audit',"
                " external_until = now() + interval '9 days' FROM accounts_user u WHERE u.id = user_id AND u.email = %s",
                [f"{OUTSIDER}@harborlights.example"],
            )

    def freeze(self, **changes: Any) -> str:
        """Send a record over the API, of a conversation of its own unless told; returns the path of its page."""
        record = make_record(**changes)
        own = {} if "conversation_id" in changes else {"conversation_id": f"conversation of {record['id']}"}
        body = json.dumps(record | own).encode()
        key = (self.folder / "demo" / "key").read_text()
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/api/v1/snapshots", body, headers)  # noqa: S310 - our own site
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310 - the same
            return f"/items/{json.load(answer)['id']}/"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """The demonstration, loaded once: each site starts from a copy of its database and of its folder."""

    database: str
    folder: Path


@contextmanager
def loaded_demonstration(folder: Path, run: str) -> Iterator[Demonstration]:
    """Load it, unless another process of this run has; the last that uses it removes it.

    Its database is one of its own on the server that all tests use. Processes take turns in loading and in removing it, and share its use.
    """
    name = f"footnote_demonstration_{run}"
    turn = zlib.crc32(name.encode())
    use = -turn
    with psycopg.connect(_address(OWNER, "postgres"), autocommit=True) as server:
        server.execute("SELECT pg_advisory_lock(%s)", [turn])
        if not server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
            _load(server, name, folder)
        server.execute("SELECT pg_advisory_lock_shared(%s)", [use])
        server.execute("SELECT pg_advisory_unlock(%s)", [turn])
        try:
            yield Demonstration(name, folder)
        finally:
            server.execute("SELECT pg_advisory_lock(%s)", [turn])
            server.execute("SELECT pg_advisory_unlock_shared(%s)", [use])
            if server.execute("SELECT pg_try_advisory_lock(%s)", [use]).fetchone() == (True,):
                _drop(server, name)


def _load(server: psycopg.Connection, name: str, folder: Path) -> None:
    server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template1").format(sql.Identifier(name)))
    try:
        _manage("demo", "--no-serve", environment=_environment(folder, name))
    except subprocess.SubprocessError:
        _drop(server, name)
        raise


def _drop(server: psycopg.Connection, name: str) -> None:
    server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def running_site(demonstration: Demonstration, folder: Path, **environment: str) -> Iterator[Site]:
    """Start a site of its own, and stop it afterwards."""
    shutil.copytree(demonstration.folder, folder, dirs_exist_ok=True)
    with _database(like=demonstration.database) as name:
        yield from _serve(folder, _environment(folder, name) | environment)


@contextmanager
def _database(like: str) -> Iterator[str]:
    name = f"footnote_browser_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(_address(OWNER, "postgres"), autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(like)))
        try:
            yield name
        finally:
            _drop(server, name)


def _serve(folder: Path, environment: Mapping[str, str]) -> Iterator[Site]:
    site = Site(_find_port(), folder, environment["DATABASE_OWNER_URL"])
    command = [sys.executable, "-m", "gunicorn", "--config", "python:reviewers.web.http.server", "--bind", f"127.0.0.1:{site.port}"]
    own = {**environment, "FOOTNOTE_PORT": str(site.port)}
    process = subprocess.Popen([*command, "reviewers.wsgi"], cwd=settings.ROOT, env=own)  # noqa: S603 - our own command
    try:
        _await(site, process)
        yield site
    finally:
        if site.database in _commands:
            _commands.pop(site.database).end()
        process.terminate()
        process.wait(timeout=_PATIENCE)


def _manage(*arguments: str, environment: Mapping[str, str]) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=settings.ROOT, env=environment, check=True, capture_output=True, timeout=_PATIENCE)  # noqa: S603 - the same
    return done.stdout.decode()


def _environment(folder: Path, database: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOOTNOTE_", "DJANGO_"))}
    return kept | {
        "FOOTNOTE_VAR": str(folder),
        "FOOTNOTE_LOG_LEVEL": "ERROR",
        "DATABASE_URL": _address(DEFAULT, database),
        "DATABASE_OWNER_URL": _address(OWNER, database),
    }


def _address(alias: str, database: str) -> str:
    used = settings.DATABASES[alias]
    parts = {"user": used["USER"], "password": used["PASSWORD"], "host": used["HOST"], "port": used["PORT"]}
    return make_conninfo(dbname=database, **{name: value for name, value in parts.items() if value})


def _find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(site: Site, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{site.address}/health/", timeout=_PATIENCE).close()  # noqa: S310 - the same
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("the site did not start")
