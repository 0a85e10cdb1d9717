from __future__ import annotations

from psycopg import sql

from tests.robustness.keeping import check_is_sound
from tests.robustness.processes import manage


def rows_of_all_tables(connection):
    """So many rows in each table, and a digest over them."""
    tables = [table for (table,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")]
    query = sql.SQL("SELECT count(*), md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))) FROM {} AS t")
    return {table: connection.execute(query.format(sql.Identifier(table))).fetchone() for table in tables}


def test_loading_the_demonstration_again_changes_nothing(house, connection):
    before = rows_of_all_tables(connection)

    again = manage(house.folder, "demo", "--no-serve")

    assert again.returncode == 0, again.stderr
    assert before["review_label"][0] > 100
    assert rows_of_all_tables(connection) == before
    check_is_sound(connection)
