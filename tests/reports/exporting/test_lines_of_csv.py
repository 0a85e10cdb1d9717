"""Lines of CSV are put together by hand, quickly: they are those that the table has, cell by cell."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reviewers.reports.exporting.formats.comma import line_of, write_csv
from reviewers.reports.exporting.formats.table import about, lines_of
from reviewers.reports.exporting.model import Answer, Recorded
from reviewers.reports.exporting.told import Contradicted, Excerpt, Row, Said
from reviewers.web.masks import MASK

words = st.text(max_size=9) | st.sampled_from(["", "=1+1", "–1", "‘so’ at 1–2", 'say "hi", you', "a\nb", "-"])
excerpts = st.lists(st.builds(Excerpt, st.integers(0, 99), st.integers(0, 99), st.text(max_size=9)), max_size=2).map(tuple)
remarks = st.builds(Said, st.just("id"), st.text(max_size=5), st.sampled_from(["correct", "none"]), st.text(max_size=5), words, words)
rows = st.builds(
    Row,
    footnote=st.none() | st.integers(1, 9),
    section=words,
    path=words,
    value=st.none(),
    value_text=words | st.just(MASK),
    type=words,
    track=words,
    method=words,
    rule=words,
    confidence=st.floats(0, 1),
    high=st.none() | st.floats(0, 1),
    is_hidden=st.booleans(),
    is_seeded=st.booleans(),
    score=st.floats(0, 1) | st.integers(0, 1),
    low=st.none() | st.floats(0, 1),
    trace=words,
    spans=excerpts,
    claims=excerpts,
    contradiction=st.none() | st.builds(Contradicted, words, words, words, excerpts),
    said=st.lists(remarks, max_size=2).map(tuple),
)
events = st.builds(Recorded, id=words, action=words, at=words, by=words, origin=words, index=st.none() | st.integers(0, 9))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(rows, max_size=3), st.lists(events, max_size=2), st.sampled_from(["plain words", "größe – ‘so’\n", "a\u200bb", "\ud800"]))
def test_lines_of_csv_are_those_of_the_table(some, others, text):
    told = [replace(each, spans=within(text, each.spans), claims=within(text, each.claims)) for each in some]
    answer = Answer(**dict.fromkeys(Answer.__struct_fields__, "") | {"text": text, "rows": tuple(told), "events": tuple(others)})

    (written,) = write_csv([answer])

    before = line_of(about(answer))
    assert written == "".join([f"{before},{line_of(each)}\r\n" for each in lines_of(answer)]).encode("utf-8", "replace")


def within(text, excerpts):
    """Parts of the text, as those of an answer always are."""
    places = [sorted((each.start % (len(text) + 1), each.end % (len(text) + 1))) for each in excerpts]
    return tuple([Excerpt(start, end, text[start:end]) for start, end in places])
