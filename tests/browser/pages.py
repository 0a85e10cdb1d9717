"""Every page of the site in every state that looks different: who looks at it, and how to come there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from reviewers.review import demonstration
from tests.browser.site import Site

_TURNS = Path(demonstration.__file__).parent / "turns"

LONG_WORD = "a" * 300
LONG_NAME = ("<script>alert(1)</script>" + LONG_WORD)[:200]
HOSTILE: Mapping[str, Any] = {
    **dict.fromkeys(("conversation_id", "client_reference", "model", "prompt_version", "schema_version"), LONG_NAME),
    "user_text": f"<img src=x onerror=alert(1)> {LONG_WORD}\u202e\u0000 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334",
    "response": f"# {LONG_WORD}\n\n{LONG_WORD} [[SF:{LONG_WORD}]] elevated\u200b [[SF:risk_level]]. ```{LONG_WORD}```\n\n" + "| x " * 200,
    "context": {
        "safety": {"risk_level": "elevated", LONG_WORD: LONG_WORD, "list": [LONG_WORD] * 30},
        f"s{LONG_WORD}": {"<i>deep</i>": {"er": {LONG_WORD: "elevated"}}},
    },
}


@dataclass(frozen=True, slots=True)
class Place:
    """A page in a state. ``reach`` gives its path, after what has to be done for it; ``arrange`` is done on the page."""

    role: str | None
    reach: Callable[[Callable[..., Page], Site], str]
    arrange: Callable[[Page], None] = lambda _page: None
    expected: tuple[str, ...] = ()


def at(path: str) -> Callable[..., str]:
    return lambda _open_as, _site: path


def frozen(**changes: Any) -> Callable[..., str]:
    return lambda _open_as, site: site.freeze(**changes)


def demonstrated(number: str) -> Callable[..., str]:
    """A turn of the demonstration, once more."""
    (file,) = _TURNS.glob(f"{number}-*.json")
    turn = json.loads(file.read_text(encoding="utf-8"))["turn"]
    return lambda _open_as, site: site.freeze(**{key: value for key, value in turn.items() if key != "id"})


def held(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    open_as("lead", path).get_by_role("button", name="Take it").click()
    return path


def hostile_queue(open_as: Callable[..., Page], site: Site) -> str:
    site.freeze_two(**HOSTILE)
    return "/queue/"


def submitted(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    page = open_as("reviewer", path)
    page.keyboard.type("2n")
    page.keyboard.type("the marker stands behind another sentence")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)
    return path


def skipped(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    page = open_as("lead", path)
    page.keyboard.type("sneeds somebody who reads Haitian Creole")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: path not in url)
    return path


def half_labelled(page: Page) -> None:
    for number, key in enumerate("1230", start=1):
        page.keyboard.press(key)
        expect(page.locator("[data-verdict]")).to_have_count(number)
        page.keyboard.press("j")
    page.keyboard.press("o")
    expect(page.locator("#unfound-rows tbody[data-current]")).to_be_visible()


def refused(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notice")).to_be_visible()


def pressing(key: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.press(key)


def flagging(page: Page) -> None:
    page.get_by_label("Flag: Over-cited").click()


def looking_at_a_source(page: Page) -> None:
    page.locator(".answer sup[data-source] a").nth(1).focus()
    expect(page.get_by_role("tooltip")).to_be_visible()


def with_passages(page: Page) -> None:
    for summary in page.locator(".sources summary").all():
        summary.click()


def with_new_key(page: Page) -> None:
    page.get_by_label("Name").fill("runtime of the night shift")
    page.get_by_label("Read").check()
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".secret")).to_be_visible()


def with_faulty_key(page: Page) -> None:
    page.get_by_label("Name").fill("no scope")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".errorlist")).to_be_visible()


def wrong_password(page: Page) -> None:
    page.fill("#id_login", "nobody@example.org")
    page.fill("#id_password", "not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def nonsense(page: Page) -> None:
    page.evaluate("""() => {
        const form = document.querySelector("[role=search]");
        for (let i = 0; i < 1100; i++) form.append(Object.assign(document.createElement("input"), {name: "n" + i, type: "hidden"}));
        form.submit();
    }""")
    page.get_by_role("heading", name="That request makes no sense").wait_for()


def failing(page: Page) -> None:
    """Its page is fixed text: shown in place of what a request would have to break for it."""
    body = (Path(__file__).parents[2] / "templates" / "errors" / "500.html").read_text(encoding="utf-8")
    explanation = body.partition("{% block explanation %}")[2].partition("{% endblock %}")[0]
    page.locator(".lede").evaluate("(element, words) => { element.textContent = words; }", explanation)


PLACES: Mapping[str, Place] = {
    "sign-in": Place(None, at("/accounts/login/")),
    "sign-in refused": Place(None, at("/accounts/login/"), wrong_password),
    "password forgotten": Place(None, at("/accounts/password/reset/")),
    "sign-out": Place("auditor", at("/accounts/logout/")),
    "account": Place("auditor", at("/accounts/2fa/")),
    "queue": Place("reviewer", at("/queue/")),
    "queue of an auditor": Place("auditor", at("/queue/")),
    "queue, filtered": Place("reviewer", at("/queue/?state=submitted&state=skipped&state=held&state=to_do&source=mixed&since=2026-01-01")),
    "queue, hostile": Place("reviewer", hostile_queue),
    "queue, none match": Place("reviewer", at("/queue/?guardrail=none-such")),
    "queue, nothing left": Place("reviewer", at("/queue/?nothing=1")),
    "item": Place("reviewer", frozen()),
    "item, half labelled": Place("reviewer", frozen(), half_labelled),
    "item, refused": Place("reviewer", frozen(), refused, ("409: POST",)),
    "item, keys": Place("reviewer", frozen(), pressing("?")),
    "item, skipping": Place("reviewer", frozen(), pressing("s")),
    "item, all correct": Place("reviewer", frozen(), pressing("a")),
    "item, flagging": Place("reviewer", frozen(), flagging),
    "item of an auditor": Place("auditor", frozen()),
    "item held by another": Place("reviewer", held),
    "item submitted": Place("reviewer", submitted),
    "item skipped": Place("reviewer", skipped),
    "item with hostile markup": Place("reviewer", demonstrated("36")),
    "item with hostile letters": Place("reviewer", demonstrated("37")),
    "item, long": Place("reviewer", demonstrated("22")),
    "item with headings": Place("reviewer", demonstrated("12")),
    "item from right to left": Place("reviewer", demonstrated("29")),
    "item with sections withheld": Place("reviewer", demonstrated("47")),
    "item with documents": Place("reviewer", demonstrated("51"), looking_at_a_source),
    "item with altered quotes": Place("reviewer", demonstrated("52"), with_passages),
    "item with claims": Place("reviewer", demonstrated("53"), with_passages),
    "item withheld": Place("reviewer", demonstrated("55")),
    "item without any field": Place("reviewer", frozen(response="Hello.", context={})),
    "item, empty": Place("reviewer", frozen(response="", user_text="", context={"safety": {"risk_level": "low"}})),
    "item, all hostile": Place("reviewer", frozen(**HOSTILE), pressing("j")),
    "coordinator": Place("coordinator", at("/")),
    "settings of a lead": Place("lead", at("/settings/")),
    "settings": Place("administrator", at("/settings/")),
    "settings, new key": Place("administrator", at("/settings/"), with_new_key),
    "settings, faulty key": Place("administrator", at("/settings/"), with_faulty_key, ("422: POST",)),
    "API": Place("administrator", at("/api/")),
    "400": Place("reviewer", at("/queue/"), nonsense, ("400: POST",)),
    "403": Place("coordinator", at("/queue/"), expected=("403: GET",)),
    "404": Place("reviewer", at("/nowhere/"), expected=("404: GET",)),
    "405": Place("reviewer", at("/queue/next/"), expected=("405: GET",)),
    "500": Place("reviewer", at("/nowhere/"), failing, ("404: GET",)),
}
