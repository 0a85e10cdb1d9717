"""The pieces of a file are kept compressed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewers.reports.exports.report import compress, decompress


@given(st.binary(max_size=10_000))
def test_what_is_compressed_is_read_back(content):
    assert decompress(compress(content)) == content
