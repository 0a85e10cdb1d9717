"""The fixtures, mutated: nothing raises, every span stays inside, every result can be stored."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from attribution import attribute, canonical_bytes, encode
from attribution.__main__ import BAD_INPUT, main
from tests.attribution.cases import all_cases
from tests.attribution.strategies import NAMES, PIECES, VALUES

FEW, MANY = 2_000, 50_000
SCALARS = (*VALUES, None, True, 0, 1, 14, -3, 0.85, 1e-9, 1e308, float("nan"), float("inf"), 10**64, -(10**5_000), 2**63, "9" * 400)
RANGES = ((0, 0x20), (0x20, 0x7F), (0x80, 0x250), (0x300, 0x370), (0x2000, 0x2070), (0xD800, 0xE000), (0xFE00, 0xFF60), (0x1F300, 0x1FA00))


def any_character(random: Random) -> str:
    return chr(random.randrange(*random.choice(RANGES)))


def mutate_text(text: str, random: Random) -> str:
    for _ in range(random.randrange(6)):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.randrange(12))
        put = random.choice(
            (any_character(random), random.choice(PIECES), text[start:end] * random.randrange(4), "", "[" * random.randrange(5))
        )
        text = text[:start] + put + text[random.choice((start, end)) :]
    return text


def mutate_value(value: Any, random: Random, depth: int = 0) -> Any:
    if random.random() < 0.1:
        return random.choice(SCALARS)
    if isinstance(value, str):
        return mutate_text(value, random)
    if isinstance(value, list):
        return [mutate_value(each, random, depth + 1) for each in value] * random.choice((1, 1, 1, 2, 0))
    if isinstance(value, dict):
        changed = {mutate_key(key, random): mutate_value(each, random, depth + 1) for key, each in value.items()}
        return changed | ({mutate_key("", random): wrapped(value, random)} if depth < 3 and random.random() < 0.1 else {})
    return value


def mutate_key(key: str, random: Random) -> str:
    return random.choice((random.choice(NAMES), mutate_text(key, random))) if random.random() < 0.1 else key


def wrapped(value: Any, random: Random) -> Any:
    """A value many levels down."""
    for _ in range(random.choice((1, 3, 70, 3_000))):
        value = {"k": value} if random.random() < 0.5 else [value]
    return value


def check_turn(random: Random) -> None:
    one, other = random.choice(all_cases()), random.choice(all_cases())
    response = mutate_text(random.choice((one.answer, one.answer + other.answer)), random)
    context = mutate_value(random.choice((one.context, one.context | other.context)), random)
    attribution = attribute(
        response=response,
        context=context if isinstance(context, dict) else {"safety": context},
        user_text=random.choice((one.user, other.answer)),
        documents=random.choice(((), [context])),
        hidden_sections=one.hidden,
        field_citations=[mutate_value(each, random) for each in (*one.beside, *other.beside)],
        answered_on=one.day,
    )
    length = len(attribution.clean_text)
    assert all(0 <= start < end <= length for row in attribution.fields for start, end in row.spans)
    written = [marker for marker in attribution.markers if not marker.is_beside]
    assert all(0 <= (marker.position or 0) <= length for marker in attribution.markers)
    assert all(response[slice(*marker.raw)] == marker.text for marker in written)
    assert canonical_bytes(encode(attribution))


def check_line(random: Random) -> None:
    case = random.choice(all_cases())
    line = bytearray(json.dumps({"response": case.answer, "context": case.context, "user_text": case.user}).encode())
    for _ in range(random.randrange(4)):
        place = random.randrange(len(line))
        line[place : place + random.randrange(3)] = random.choice(
            (bytes([random.randrange(256)]), b"[" * 70, b'"', b"\\", b"\\ud800", b"1e999")
        )
    results, messages = io.BytesIO(), io.StringIO()
    status = main(io.BytesIO(bytes(line)), results, messages)
    assert (status == BAD_INPUT) is bool(messages.getvalue())
    assert status in (0, BAD_INPUT)


NESTED = 31_660
"""A turn with a value nested so deep that Python cannot write it, where names are expected."""
CHECKS: list[Callable[[Random], None]] = [check_turn, check_line]


@pytest.mark.parametrize("check", CHECKS)
def test_mutated_turns_are_attributed_or_refused(check: Callable[[Random], None]) -> None:
    for seed in (*range(FEW), NESTED):
        check(Random(seed))  # noqa: S311 - the same mutations every time


@pytest.mark.exhaustive
@pytest.mark.parametrize("check", CHECKS)
def test_many_mutated_turns_are_attributed_or_refused(check: Callable[[Random], None]) -> None:
    for seed in range(FEW, MANY):
        check(Random(seed))  # noqa: S311 - the same mutations every time
