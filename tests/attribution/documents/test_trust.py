"""Trust goes by whole labels of the host, by age, and to the best source first."""

from __future__ import annotations

from datetime import date
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import CitationPolicy, ProfileError, attribute_documents
from attribution.documents.sources import host_of
from attribution.documents.trust import SourceTrust, TrustLevel, day_of, default_trust, read_trust, trust_in_answer, trust_in_source
from tests.attribution.documents.fixtures_of_documents import rows

REGULATOR = "https://www.fda.gov/"
ANSWERED = date(2026, 3, 8)
DATA = {
    "tiers": [{"tier": 1, "name": "guild", "score": 0.9, "suffixes": ["guild.example"]}],
    "unknown_score": 0.4,
    "ages": [{"years": 2, "factor": 0.5}],
    "share_of_best": 0.5,
    "high": 0.8,
    "medium": 0.6,
}


@pytest.mark.parametrize("row", rows("addresses"), ids=lambda row: row[2])
def test_addresses_of_the_fixture(row: list[str]) -> None:
    tier, host, address = row
    trust = trust_in_source(address)
    assert (trust.tier, trust.host or "-") == (int(tier), host)


@pytest.mark.parametrize(
    ("published", "score"),
    [
        (None, 0.95),
        (date(2021, 3, 8), 0.95),
        (date(2021, 3, 7), 0.855),
        (date(2016, 3, 8), 0.855),
        (date(2016, 3, 7), 0.684),
        (date(2030, 1, 1), 0.95),
    ],
)
def test_old_sources_count_less(published: date | None, score: float) -> None:
    assert trust_in_source(REGULATOR, published, ANSWERED).score == score


def test_without_the_day_of_the_answer_no_age_is_counted() -> None:
    assert trust_in_source(REGULATOR, date(1990, 1, 1)).score == 0.95


def test_an_unknown_source_grows_no_older() -> None:
    assert trust_in_source("https://blog.example/", date(1990, 1, 1), ANSWERED).score == 0.5
    assert trust_in_source(None).score == 0.5


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2020-02-29T08:00:00Z", date(2020, 2, 29)),
        ("20200229", date(2020, 2, 29)),
        ("2020-02", date(2020, 2, 29)),
        ("2020-02-31", date(2020, 2, 29)),
        ("2020", date(2020, 12, 31)),
        ("2020-13-01", date(2020, 12, 31)),
        ("1577836800", date(2020, 1, 1)),
        ("1577836800000", date(2020, 1, 1)),
        ("1577836800.25", date(2020, 1, 1)),
        ("0000-01-01", None),
        ("May 2020", date(2020, 5, 31)),
        ("March 2010", date(2010, 3, 31)),
        ("Published Mar. 3, 2010", date(2010, 3, 3)),
        ("3rd March 2010", date(2010, 3, 3)),
        ("03/01/2010", date(2010, 3, 1)),
        ("25/12/2010", date(2010, 12, 25)),
        ("12/25/2010", date(2010, 12, 25)),
        ("3.1.2010", date(2010, 3, 1)),
        ("2010/03/01", date(2010, 3, 1)),
        ("2010-3-1", date(2010, 3, 1)),
        ("Spring 2010", date(2010, 12, 31)),
        ("45/45/2010", date(2010, 12, 31)),
        ("version 3 of 12", None),
        ("12345678901234", None),
        ("", None),
    ],
)
def test_a_day_is_read_as_sources_write_it(written: str, day: date | None) -> None:
    assert day_of(written) == day


def test_a_leap_day_is_a_day() -> None:
    assert trust_in_source(REGULATOR, date(2020, 2, 29), date(2025, 2, 28)).score == 0.95
    assert trust_in_source(REGULATOR, date(2020, 2, 29), date(2025, 3, 1)).score == 0.855


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("PubMed", 1),
        ("pubmed", 1),
        ("PubMed: 12345", 1),
        ("Lexicomp", 2),
        ("Lexicomp, Drug Information", 2),
        ("Lexi-Comp", 2),
        ("Micromedex (Merative)", 2),
        ("Cochrane Library - reviews", 3),
        ("PubMed Fans", 0),
        ("Not PubMed", 0),
        ("", 0),
    ],
)
def test_a_source_without_an_address_goes_by_its_name(name: str, tier: int) -> None:
    assert trust_in_source(None, name=name).tier == tier


def test_a_name_does_not_outdo_an_address() -> None:
    trust = trust_in_source("https://blog.example/", name="PubMed")
    assert trust.tier == 0
    assert trust.trace == "blog.example is in no tier, and the name ‘PubMed’ does not count beside it"
    assert trust_in_source("https://nice.org.uk/", name="PubMed").tier == 3


def test_a_name_of_a_document_reaches_its_trust() -> None:
    attribution = attribute_documents(response="Rest [1].", documents=[{"source": "Lexicomp", "content": "Rest.", "date": "March 2010"}])
    assert attribution.trust["doc-1"].tier == 2
    assert "its age could not be told" in attribution.answer_trust.trace
    dated = attribute_documents(
        response="Rest [1].", documents=[{"source": "Lexicomp", "content": "Rest.", "date": "March 2010"}], answered_on=ANSWERED
    )
    assert dated.trust["doc-1"].score == 0.6336
    assert "age" not in dated.answer_trust.trace


def test_how_many_ages_could_not_be_told_is_said() -> None:
    trust = [trust_in_source(REGULATOR, date(2025, 1, 1), ANSWERED), trust_in_source(REGULATOR, None, ANSWERED)]
    assert trust_in_answer(trust).trace == "the best of 2 has 0.95, their mean is 0.95; the age of 1 of 2 could not be told"


def test_a_name_in_two_tiers_is_refused() -> None:
    with pytest.raises(ProfileError, match="in two tiers"):
        read_trust(DATA | {"tiers": [dict(DATA["tiers"][0], names=["Guild", "guild"])]})  # type: ignore[index,arg-type]


@pytest.mark.parametrize(
    ("scores", "score", "level"),
    [
        ([], None, TrustLevel.UNVERIFIED),
        ([0.95], 0.95, TrustLevel.HIGH),
        ([0.95, 0.5], 0.8825, TrustLevel.HIGH),
        ([0.75, 0.6], 0.7275, TrustLevel.MEDIUM),
        ([0.6, 0.6], 0.6, TrustLevel.LOW),
    ],
)
def test_an_answer_leans_on_its_best_source(scores: list[float], score: float | None, level: TrustLevel) -> None:
    answer = trust_in_answer([SourceTrust(1, "made up", each, None, "") for each in scores])
    assert (answer.score, answer.level) == (score, level)


def test_an_answer_of_unknown_sources_only_is_a_result() -> None:
    answer = trust_in_answer([trust_in_source("https://blog.example/"), trust_in_source(None)])
    assert (answer.score, answer.level, answer.is_all_unknown) == (0.5, TrustLevel.LOW, True)
    assert answer.trace == "no source is of a known tier"


def test_another_registry_is_data() -> None:
    registry = read_trust(DATA)
    assert trust_in_source("https://shop.guild.example", registry=registry).score == 0.9
    old = trust_in_source("https://guild.example", date(2020, 1, 1), ANSWERED, registry)
    assert old.score == 0.45
    assert old.trace == "guild: guild.example, published more than 2 years before the answer"
    assert trust_in_answer([old], registry).level is TrustLevel.LOW


def test_an_organisation_s_table_decides_the_trust_in_sources_and_answer() -> None:
    documents = [
        {"source_id": "a", "url": "https://www.guild.example/1", "content": "Rest helps.", "date": "2025-06-01"},
        {"source_id": "b", "url": REGULATOR, "content": "Rest helps.", "date": "2025-06-01"},
    ]
    told = {}
    for name, table in (("shipped", None), ("own", read_trust(DATA))):
        attribution = attribute_documents(
            response="Rest helps [1]. Rest helps [2].", documents=documents, policy=CitationPolicy(trust=table), answered_on=ANSWERED
        )
        sources = [each.tier for each in attribution.trust.values()]
        told[name] = (sources, attribution.answer_trust.score, attribution.answer_trust.level)
    assert told == {"shipped": ([0, 1], 0.8825, TrustLevel.HIGH), "own": ([1, 0], 0.775, TrustLevel.MEDIUM)}


@pytest.mark.parametrize("change", [{"tiers": None}, {"high": 2}, {"unknown_score": "much"}, {"tiers": DATA["tiers"] * 2}])
def test_a_broken_registry_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ProfileError, match="trust: "):
        read_trust(DATA | change)


def test_every_suffix_of_the_shipped_registry_is_a_host_or_a_whole_label() -> None:
    for suffix in default_trust().tiers:
        assert suffix == suffix.lower()
        assert host_of(f"https://x.{suffix}/") == f"x.{suffix}"


@pytest.mark.parametrize("letters", ["ﷺ" * 240, "漢字" * 120, "a\u0301\ufdfa" * 80])
def test_a_host_longer_than_one_may_be_is_not_written_out(letters: str) -> None:
    before = process_time()

    assert {host_of(f"https://{letters}{number}.example/") for number in range(1_000)} == {None}
    assert process_time() - before < 3  # written out they take ten seconds


def test_letters_that_no_host_has_do_not_make_it_too_long() -> None:
    assert host_of("https://caf\u00e9" + "\u00ad" * 100 + ".example/") == "xn--caf-dma.example"


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_is_not(text: str) -> None:
    host = host_of(text)
    assert host is None or (host.isascii() and host == host.lower() and host_of(f"https://{host}/") == host)
