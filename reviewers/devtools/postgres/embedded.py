"""The embedded PostgreSQL: a server in a folder of the checkout, started if DATABASE_URL is not set.

It has two roles, as in production: the owner makes and changes tables, the web's role reads and inserts. Connections use a Unix socket in
the folder, which nobody else may open; the server listens on no network.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from reviewers.devtools.postgres.cluster import Cluster

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
