"""How often ingest asks the database: as often for a hundred records as for one."""

from __future__ import annotations

import pytest

from tests.api.sending import post, post_lines
from tests.factories import make_record
from tests.statements import statements_of

MOST_FOR_ONE = 12
AND_OF_A_NEW_COMBINATION = 1
"""Noting that an answer came from a model, prompt and schema that none came from before."""


def test_one_record_takes_few_statements(program):
    statements = statements_of(lambda: post(program, make_record()))

    assert len(statements) <= MOST_FOR_ONE + AND_OF_A_NEW_COMBINATION, statements


def test_a_batch_takes_as_many_statements_as_one_record(program):
    post(program, make_record())
    counts = [len(statements_of(lambda: post_lines(program, [make_record() for _ in range(size)]))) for size in (1, 10, 100)]  # noqa: B023 — called at once

    assert len(set(counts)) == 1, counts
    assert counts[0] <= MOST_FOR_ONE


def test_a_batch_of_many_transactions_asks_once_more_for_each(program):
    post(program, make_record())  # that the key was used is written down once a minute

    def send(size: int) -> int:
        records = [{"id": f"{size}-{number}", "response": "x", "context": {}} for number in range(size)]
        return len(statements_of(lambda: post_lines(program, records)))

    post(program, make_record())  # the first of all stores the profile too
    send(2)  # and the first of a combination notes it
    one, three = send(1), send(1_001)

    key = 1
    assert three - key == 3 * (one - key)


@pytest.mark.parametrize("size", [1, 20])
def test_records_that_are_known_take_two_looks_and_write_nothing(program, size):
    records = [make_record() for _ in range(size)]
    post_lines(program, records)

    statements = statements_of(lambda: post_lines(program, records))  # the key, what is known, its summaries, which of them are withheld

    assert not [statement for statement in statements if statement.startswith(("INSERT", "COPY", "UPDATE"))]
    assert len(statements) <= 4


def test_reading_takes_few_statements(program):
    """The key, the snapshot, its event, whether it is under blind review, its signatures, what was redacted of it."""
    answer = post(program, make_record()).json()

    statements = statements_of(lambda: program.get(f"/api/v1/snapshots/{answer['id']}"))

    assert len(statements) <= 6, statements
