"""The names of providers that are near to what somebody typed, by spelling and by sound."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from attribution import fold_words

MOST_NAMES = 3
_MOST_CANDIDATES = 100
"""The most names that are compared letter by letter: those of 200 letters take a second together."""
_NEAR = """
SELECT DISTINCT snapshot.provider FROM (
    SELECT snapshot_id FROM reports_suggestionnames
    WHERE organisation_id = %(organisation)s AND near IS NOT NULL AND near @@ reports_near_query(%(words)s, %(is_any)s) LIMIT %(most)s
) AS found JOIN snapshots_snapshot AS snapshot ON snapshot.id = found.snapshot_id
"""
"""Every provider has ``near`` once, so the most common name is one row here."""


def names_near(organisation_id: UUID, words: str) -> list[str]:
    """Return the names of providers that what was typed may mean, the nearest first: those near to all of its words, else to any.

    Where a number was typed, it is a reference that nothing has, and no name is near it.
    """
    if any(map(str.isdigit, words)):
        return []
    with connection.cursor() as cursor:
        for is_any in (False, True):
            asked: dict[str, UUID | str | int] = {
                "organisation": organisation_id,
                "words": words,
                "is_any": is_any,
                "most": _MOST_CANDIDATES,
            }
            cursor.execute(_NEAR, asked)
            found = [(distance_of_names(words, name), name) for (name,) in cursor.fetchall()]
            if found:
                return [name for _, name in sorted(found)[:MOST_NAMES]]
    return []


def distance_of_names(typed: str, name: str) -> int:
    """Return the letters by which the words that were typed differ from the nearest words of a name."""
    parts = fold_words(name)
    return sum(min((distance(word, part) for part in parts), default=len(word)) for word in fold_words(typed))


def distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the least number of letters that are lost, added, changed, or swapped with the next one."""
    before: list[int] = []
    last = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        line = [row]
        for column, other in enumerate(second, 1):
            least = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                least = min(least, before[column - 2] + 1)
            line.append(least)
        before, last = last, line
    return last[-1]
