"""The pieces of a file are kept compressed; those that earlier versions have kept are read as well."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from reviewers.reports.exporting import chunks
from reviewers.reports.exporting.quickly import pack, unpack
from tests.factories import sign_in
from tests.reports.exporting.made import make_export


@given(st.binary(max_size=10_000))
def test_what_is_compressed_is_read_back_whichever_version_did_it(content):
    assert unpack(pack(content)) == content
    assert unpack(zlib.compress(content)) == content


def test_a_file_that_an_earlier_version_has_kept_is_handed_out_as_it_was(organisation, auditor):
    export = make_export(auditor)
    address = f"/exports/{export.pk}/file/"
    client = sign_in(auditor)
    whole = b"".join(client.get(address).streaming_content)

    for number, chunk in enumerate(export.chunks.order_by("number")):
        content, is_packed = chunks.piece(chunk.pk), number % 2 == 0
        export.chunks.filter(pk=chunk.pk).update(content=zlib.compress(content) if is_packed else content, is_packed=is_packed)

    assert whole
    assert export.chunks.count() > 1
    assert b"".join(client.get(address).streaming_content) == whole
