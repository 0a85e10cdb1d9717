"""The embedded PostgreSQL: a server in a folder of the checkout, started where no DATABASE_URL is set.

Two roles, as in production: the owner makes and changes tables, the web's role reads and inserts. Connections go over a Unix socket
in the folder, which nobody else may open; the server listens to no network.
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
"""What the list is filtered by. Only a function that is known to tell nothing of rows it is asked about may look into an index before
the wall between organisations has been looked at. These two tell nothing, which PostgreSQL leaves to a superuser to say."""

_clusters: dict[Path, Cluster] = {}


def start(folder: Path) -> str:
    """Use the server, which is made and started unless it runs, with its roles and database; returns the folder of its socket.

    It stops when the last process that uses it ends.
    """
    cluster = _clusters.setdefault(folder.resolve(), Cluster(folder))
    cluster.join(partial(_ensure_roles, cluster))
    return cluster.address


def stop(folder: Path) -> None:
    """Use the server no more."""
    cluster = _clusters.pop(folder.resolve(), None)
    if cluster is not None:
        cluster.leave()


def held() -> tuple[int, ...]:
    """What a child process inherits (``pass_fds``) so that the servers this process uses run until both have ended."""
    return tuple(descriptor for cluster in _clusters.values() for descriptor in cluster.held)


def url(socket: str, role: str, database: str = DATABASE) -> str:
    """The address of a database of the server for one of its roles."""
    return f"postgresql://{role}@/{database}?host={quote(socket, safe='')}&port=5432"


def _ensure_roles(cluster: Cluster) -> None:
    with psycopg.connect(url(cluster.address, "postgres", "postgres"), autocommit=True) as connection:
        roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
        for role in (OWNER, WEB):
            if role not in roles:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN {}").format(sql.Identifier(role), sql.SQL(_RIGHTS[role])))
        _ensure_filters_are_quick(cluster, "template1")  # what all databases are made of
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER)))
    _ensure_filters_are_quick(cluster, DATABASE)


def _ensure_filters_are_quick(cluster: Cluster, database: str) -> None:
    with psycopg.connect(url(cluster.address, "postgres", database), autocommit=True) as connection:
        unsaid = "SELECT oid::regprocedure::text FROM pg_proc WHERE oid = ANY(%s::regprocedure[]) AND NOT proleakproof"
        for (function,) in connection.execute(unsaid, [list(_TELL_NOTHING)]).fetchall():
            connection.execute(sql.SQL("ALTER FUNCTION {} LEAKPROOF").format(sql.SQL(function)))
