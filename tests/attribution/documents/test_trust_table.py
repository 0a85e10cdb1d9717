"""An organisation's own table of trust: read with all its faults, and asked before the shipped tiers."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import (
    LARGEST_TABLE,
    MOST_RULES,
    CitationPolicy,
    TrustLevel,
    TrustTableError,
    attribute_documents,
    decode_documents,
    encode_documents,
    read_trust_table,
    trust_in_source,
    with_own_table,
)

TEXT = """# Sources of the harbour clinics
guild.example, 1, our own handbook, reviewed each spring

Formulary Desk, 2, licensed by the pharmacy
nih.gov, unknown, not used in this service
.ac.uk, Tier 3, teaching hospitals
"""
OWN = with_own_table(read_trust_table(TEXT.encode()), "version 3")


def problems(text: str | bytes) -> list[tuple[int, str]]:
    with pytest.raises(TrustTableError) as caught:
        read_trust_table(text if isinstance(text, bytes) else text.encode())
    return list(caught.value.problems)


def test_rules_are_read_with_their_lines() -> None:
    rules = read_trust_table(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()).rules
    assert [(each.line, each.host, each.name, each.tier, each.reason) for each in rules] == [
        (2, "guild.example", "guild example", 1, "our own handbook, reviewed each spring"),
        (4, "", "formulary desk", 2, "licensed by the pharmacy"),
        (5, "nih.gov", "nih gov", 0, "not used in this service"),
        (6, "ac.uk", "", 3, "teaching hospitals"),
    ]


@pytest.mark.parametrize(
    ("address", "name", "tier", "table"),
    [
        ("https://shop.guild.example/1", "", 1, "version 3"),
        ("https://guild.example.evil.example/1", "", 0, ""),
        ("https://www.nih.gov/", "", 0, "version 3"),
        ("https://dailymed.nlm.nih.gov/", "", 0, "version 3"),
        ("https://www.ox.ac.uk/", "", 3, "version 3"),
        ("https://www.fda.gov/", "", 1, ""),
        (None, "Formulary Desk: dosing", 2, "version 3"),
        (None, "guild.example", 1, "version 3"),
        ("https://blog.example/", "Formulary Desk", 0, ""),
        (None, "Lexicomp", 2, ""),
        (None, "", 0, ""),
    ],
)
def test_the_own_table_is_asked_first(address: str | None, name: str, tier: int, table: str) -> None:
    trust = trust_in_source(address, registry=OWN, name=name)
    assert (trust.tier, trust.table) == (tier, table)


def test_the_trace_says_which_table_and_why() -> None:
    told = trust_in_source("https://shop.guild.example/", date(2020, 1, 1), date(2026, 1, 1), OWN).trace
    assert told == (
        "regulator or primary research: shop.guild.example, under guild.example; the organisation’s table, version 3, says: "
        "our own handbook, reviewed each spring, published more than 5 years before the answer"
    )
    assert trust_in_source("https://nih.gov/", registry=OWN).trace == (
        "set to unknown: nih.gov; the organisation’s table, version 3, says: not used in this service"
    )


def test_a_level_of_the_own_table_is_kept_with_the_answer() -> None:
    documents = [{"url": "https://guild.example/1", "content": "Rest helps."}, {"url": "https://www.fda.gov/1", "content": "Rest helps."}]
    attribution = attribute_documents(response="Rest helps [1]. Rest helps [2].", documents=documents, policy=CitationPolicy(trust=OWN))
    encoded = encode_documents(attribution)
    assert [each["trust"].get("table") for each in encoded["sources"]] == ["version 3", None]
    assert decode_documents(encoded, attribution.raw_text, {}).trust == attribution.trust
    assert attribution.answer_trust.level is TrustLevel.HIGH


def test_everything_that_is_wrong_is_told_with_its_line() -> None:
    text = "guild.example\nguild.example, 5, far away\n, 1,\nhttps://fda.gov/drugs, 1, regulator\n\nwww.fda.gov, 1, regulator\n"
    text += "Lexicomp (US), 2, pharmacy\n–, 2, pharmacy\nFDA, 1, regulator\nf.d.a, 1, regulator\nfda, 2, regulator\n# a\tb\n"
    text += "x" * 201 + ", , y\x07"
    assert problems(text) == [
        (1, "needs three parts with commas between them: host or name, level, reason"),
        (2, "‘5’ is no level: write 1, 2, 3, 4 or unknown"),
        (3, "has no host or name"),
        (3, "has no reason"),
        (4, "‘https://fda.gov/drugs’ is no host: write it alone, such as fda.gov"),
        (6, "write fda.gov, which counts for www.fda.gov as well"),
        (7, "a name counts up to its first colon, bracket or dash: write ‘Lexicomp’"),
        (8, "‘–’ has no word in it"),
        (11, "‘fda’ has a rule already, in line 9"),
        (12, "the remark has a tab or another character that is no text"),
        (13, "the host or name has 201 characters; 200 are the most"),
        (13, "has no level: write 1, 2, 3, 4 or unknown"),
        (13, "the reason has a tab or another character that is no text"),
    ]


def test_sizes_are_bounded() -> None:
    assert problems(b" " * (LARGEST_TABLE + 1)) == [(0, "the table is larger than 256 KB")]
    assert problems("\n\n") == [(0, "the table is empty; one without rules needs at least a remark, which begins with #")]
    many = "".join(f"n{number}.example, 1, r\n" for number in range(MOST_RULES + 1))
    assert problems(many) == [(0, "the table has 2,001 rules; 2,000 are the most")]
    assert problems("x\n" * 300)[-2:] == [(200, problems("x")[0][1]), (0, "100 further faults are not listed")]
    assert problems(f"a.example, 1, {'r' * 301}") == [(1, "the reason has 301 characters; 300 are the most")]


def test_what_is_no_text_is_told_with_its_line() -> None:
    assert problems(b"a.example, 1, r\nb.example, 1, \xff\n") == [(2, "is not text in UTF-8")]


def test_remarks_alone_are_a_table_without_rules() -> None:
    registry = with_own_table(read_trust_table(b"# none of our own"), "version 4")
    assert trust_in_source("https://www.fda.gov/", registry=registry).tier == 1


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: f"{text}, 1, r".encode("utf-8", "replace"))))
def test_any_bytes_are_a_table_or_told_what_is_wrong(content: bytes) -> None:
    with suppress(TrustTableError):
        assert all(rule.host or rule.name for rule in read_trust_table(content).rules)
