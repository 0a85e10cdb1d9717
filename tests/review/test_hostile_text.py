"""Whatever an answer, a user, a context or a reviewer writes is text on every page, and nothing invisible stays so."""

from __future__ import annotations

from collections import Counter

import pytest

from reviewers.web.protected_text import plain, shown
from tests.factories import flag_form, make_item, make_member, make_organisation, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import act, open_page, rows_of

TAGS = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'></textarea></td></p><!-- &lt;b&gt; &amp; {{ 7*7 }} {% now 'Y' %}"
INVISIBLE = "a\0b\u200bc\u202ed\ud800e\x1b[31mf\rg"


def as_typed(text: str) -> str:
    """A text as a browser can send it in a form."""
    return text.replace("\0", "").encode(errors="ignore").decode()


def everywhere(text: str) -> dict[str, object]:
    """A record that says something wherever it may; names hold no control characters."""
    name = "".join(character for character in text if character >= " " and not "\ud800" <= character <= "\udfff")[:200]
    return {
        "id": f"id {name}"[:200],
        **dict.fromkeys(("conversation_id", "client_reference", "provider", "model", "prompt_version", "schema_version"), name),
        "user_text": f"user {text}",
        "response": f"answer {text} elevated [[SF:risk_level]] [[SF:nothing]] [SF:risk_level] {text}\n\n## {text}",
        "context": {
            "safety": {
                "risk_level": "elevated",
                "never said": "zeppelin",
                f"key {text}": f"value {text} elevated",
                f"list {text}": [text, f"{text} two"],
            },
            f"section {text}": {f"a.b {text}": {f"c {text}": "elevated"}},
        },
        "hidden_sections": [f"hidden {text}"],
        "completeness": {f"incomplete {text}": 0.1},
    }


def tags_of(page: Element) -> Counter[str]:
    """Which elements the page has, but for the chips of invisible characters, and with which attributes."""
    elements = [each for each in page.walk() if each.get("class") != "chip"]
    return Counter(f"{each.tag} {' '.join(sorted(each.attributes))}" for each in elements)


@pytest.fixture
def world(organisation):
    """An organisation and a reviewer whose names are hostile too."""
    return make_member(make_organisation(f"House {TAGS}"), name=f"Alice {TAGS}")


@pytest.mark.parametrize("text", [TAGS, INVISIBLE, TAGS + INVISIBLE], ids=["tags", "invisible", "both"])
def test_hostile_text_makes_no_element_that_tame_text_does_not_make(world, text):
    hostile, tame = (make_item(world.organisation, **everywhere(each)) for each in (text, "quiet"))
    desk = sign_in(world)
    for item, note in ((hostile, as_typed(text)), (tame, "quiet")):
        act(desk, item, "note", row=0, attribution=str(item.attribution_id), note=note)
        act(desk, item, "flag", **flag_form(item, "unknown", note))

    pages = [open_page(world, item, unfound=True) for item in (hostile, tame)]

    assert tags_of(pages[0]).keys() <= tags_of(pages[1]).keys()
    scripts = [[script.attributes for script in page.find("script")] for page in pages]
    assert scripts[0] == scripts[1]
    assert all(not each.startswith("on") for page in pages for element in page.walk() for each in element.attributes)


def test_tags_are_shown_as_they_were_written(world):
    item = make_item(world.organisation, **everywhere(TAGS))
    act(sign_in(world), item, "note", row=0, attribution=str(item.attribution_id), note=TAGS)

    page = open_page(world, item, unfound=True)

    shown_text = " ".join(TAGS.split())
    assert page.one("section", class_="asked").one("p").text == f"user {shown_text}"
    assert page.one("div", class_="answer").text.count(shown_text) == 3
    rows = rows_of(page)
    assert rows[f"key {shown_text}"].one("bdi", class_="value").text == f"value {shown_text} elevated"
    assert rows[f"key {shown_text}"].one("form", class_="verdict")["aria-label"].endswith(f"key {TAGS}")
    assert rows["risk_level"].one("bdi", class_="note").text == shown_text
    assert rows["risk_level"].one("input", name="note")["value"] == TAGS
    assert any(f"hidden {shown_text}" in each.text for each in page.one("details", class_="sections").find("dt"))
    assert page.one("header", class_="top").text.count(f"Alice {shown_text}") == 1


def test_hostile_text_in_the_queue_is_text(world):
    make_item(world.organisation, **everywhere(TAGS))
    make_item(world.organisation, **everywhere("quiet"))
    desk = sign_in(world)
    page = read_markup(desk.get("/queue/"))

    first, second = page.one("tbody").find("tr")
    assert tags_of(first).keys() == tags_of(second).keys()
    name = " ".join(TAGS[:200].split())
    assert first.one("th").one("a").text == name
    model = next(field for field in page.find("input", name="model") if field["value"] == TAGS[:200])
    assert desk.get("/queue/", {"model": model["value"]}).context["page"].count == 1


def test_hostile_words_of_a_search_are_text(world):
    page = read_markup(sign_in(world).post("/queue/search/", {"words": TAGS}, follow=True))

    assert page.one("input", id="words")["value"] == TAGS
    assert not page.find("img")


def test_a_hostile_reason_is_text_on_both_pages(world):
    item = make_item(world.organisation)
    desk = sign_in(world)
    act(desk, item, "skip", reason=TAGS)

    queue = read_markup(desk.get("/queue/?state=skipped"))

    assert " ".join(TAGS.split()) in queue.one("tbody").text
    assert " ".join(TAGS.split()) in open_page(world, item).one("article").find("p", class_="notice")[0].text


def test_invisible_characters_are_chips_that_name_them(organisation, alice):
    item = make_item(organisation, user_text=INVISIBLE, response=INVISIBLE)

    page = open_page(alice, item)

    for text in (page.one("section", class_="asked").one("p"), page.one("div", class_="answer")):
        chips = text.find("span", class_="chip")
        assert [chip.text for chip in chips] == ["NUL", "ZWSP", "RLO", "U+D800", "ESC", "CR"]
        assert chips[1]["title"] == "U+200B zero width space"
        assert text.text == "aNULbZWSPcRLOdU+D800eESC[31mfCRg"


def test_an_excerpt_of_the_queue_shows_signs_for_what_cannot_be_stored(organisation, alice):
    make_item(organisation, response="a\0b\ud800c")

    assert read_markup(sign_in(alice).get("/queue/")).one("bdi", class_="excerpt").raw_text in ("a␀bU+FFFDc", "a␀b�c")


@pytest.mark.parametrize(
    ("text", "page", "attribute"),
    [
        ("plain", "plain", "plain"),
        ("<b>\"'&", "&lt;b&gt;&quot;&#x27;&amp;", "&lt;b&gt;&quot;&#x27;&amp;"),
        ("a\u200bb", 'a<span class="chip" title="U+200B zero width space">ZWSP</span>b', "a[ZWSP]b"),
        ("\ue000\x07", None, "\ue000[U+0007]"),
        ("👩🏽\u200d⚕\ufe0f", "👩🏽\u200d⚕\ufe0f", "👩🏽\u200d⚕\ufe0f"),
        ("x\u200d", 'x<span class="chip" title="U+200D zero width joiner">ZWJ</span>', "x[ZWJ]"),
        ("1\u202f000\u3000", "1\u202f000\u3000", "1\u202f000\u3000"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
    ids=ascii,
)
def test_what_has_no_shape_is_named_on_a_page_and_in_an_attribute(text, page, attribute):
    assert page is None or shown(text) == page
    assert plain(text) == attribute


@pytest.mark.parametrize(
    "code", [*range(0x20), *range(0x7F, 0xA0), 0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), 0xD800, 0xDFFF, 0xFEFF]
)
def test_no_control_character_reaches_a_page(code):
    character = chr(code)

    assert (character in shown(f"a{character}b")) is (character in "\t\n")
