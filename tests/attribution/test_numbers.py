"""Numbers in canonical form: nothing is rounded, at any length."""

from __future__ import annotations

from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.figures import canonical_amount, canonical_number
from attribution.quantities import as_percentage, as_share

EXACT = Context(prec=100)
numbers = st.from_regex(r"[0-9]{1,18}(\.[0-9]{1,30})?", fullmatch=True).map(canonical_number)


@given(numbers)
def test_shares_and_percentages_are_exact(number: str) -> None:
    assert Decimal(as_percentage(number)) == EXACT.multiply(Decimal(number), Decimal(100))
    assert Decimal(as_share(number)) == EXACT.divide(Decimal(number), Decimal(100))
    assert as_share(as_percentage(number)) == as_percentage(as_share(number)) == number


@pytest.mark.parametrize(
    ("share", "percentage"),
    [("0.85", "85"), ("1", "100"), ("0", "0"), ("0.005", "0.5"), ("0.123456789012345678901234567891", "12.3456789012345678901234567891")],
)
def test_a_share_is_a_hundredth_of_its_percentage(share: str, percentage: str) -> None:
    assert (as_percentage(share), as_share(percentage)) == (percentage, share)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [("1,500", "1500"), ("1.5k", "1500"), ("1.5 thousand", "1500"), ("2m", "2000000"), ("0.0005k", "0.5"), ("3-million", "3000000")],
)
def test_an_amount_is_multiplied_by_what_stands_behind_it(written: str, canonical: str) -> None:
    assert canonical_amount(written) == canonical
