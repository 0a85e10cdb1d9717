"""Content nested deeper than anything that was ever written is refused with a sentence, wherever it is in a bundle."""

from __future__ import annotations

import pytest

from reviewers.reports.exports.bundle.verifier.events import read_columns

DEEP = 200_000


@pytest.mark.parametrize("kind", ["j", "n"])
def test_a_column_that_is_nested_too_deep_is_no_column(kind):
    with pytest.raises(ValueError, match="nested deeper"):
        read_columns(f"a\0{kind}{DEEP}\0".encode() + b"[" * DEEP)
