"""Every page of the site in every state that looks different: who looks at it, and how to come there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from reviewers.review import demonstration
from tests.browser.site import Site
from tests.factories import CITED

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


def proved(path: str) -> Callable[..., str]:
    """A page of an administrator who has just proved who they are."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("administrator", "/accounts/reauthenticate/?for=manage&next=/settings/")
        page.get_by_label("Password").fill(site.password)
        page.get_by_role("button", name="Confirm").click()
        page.wait_for_url("**/settings/")
        return path

    return reach


def worked(number: str) -> Callable[..., str]:
    """The same, after a worker has looked for citations."""
    freeze = demonstrated(number)

    def freeze_and_work(open_as: Callable[..., Page], site: Site) -> str:
        path = freeze(open_as, site)
        site.work()
        return path

    return freeze_and_work


def search_failed(open_as: Callable[..., Page], site: Site) -> str:
    path = demonstrated("59")(open_as, site)
    site.fail_search(path)
    return path


def held(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    open_as("lead", path).get_by_role("button", name="Take it").click()
    return path


def hostile_queue(open_as: Callable[..., Page], site: Site) -> str:
    site.freeze_two(**HOSTILE)
    return "/queue/"


def suggested(reach: Callable[..., str], more: str = "") -> Callable[..., str]:
    """The sheet of an answer that suggests a provider."""
    return lambda open_as, site: reach(open_as, site).replace("/items/", "/why/") + more


def combination(name: str, more: str = "") -> Callable[..., str]:
    """The calibration of a combination, by a part of its name; or a page of it."""

    def find(open_as: Callable[..., Page], site: Site) -> str:
        if name in LONG_NAME:
            site.freeze(**HOSTILE)
        row = open_as("lead", "/calibration/").get_by_role("row").filter(has_text=name).first
        path = row.get_by_role("link").first.get_attribute("href")
        assert path
        return path + more

    return find


def profile(more: str = "") -> Callable[..., str]:
    """A profile of the demonstration's labels, proposed and compared."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("lead", combination("caremate-4 · match v18")(open_as, site))
        propose = page.get_by_role("button", name="Propose a profile")
        (propose if propose.count() else page.get_by_role("link", name="Look at")).click()
        page.wait_for_url("**/profiles/**")
        site.work()
        return urlsplit(page.url).path + more

    return reach


def hostile_suggestions(open_as: Callable[..., Page], site: Site) -> str:
    site.freeze(**HOSTILE, provider=LONG_NAME)
    site.freeze(**HOSTILE, provider=LONG_WORD[:200])
    return "/why/"


def side_by_side(open_as: Callable[..., Page], site: Site) -> str:
    demonstrated("04")(open_as, site)
    return suggested(demonstrated("05"), "compare/")(open_as, site)


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


def to_be_signed(open_as: Callable[..., Page], site: Site) -> str:
    return f"{submitted(open_as, site)}signing/"


def signed_and_changed(open_as: Callable[..., Page], site: Site) -> str:
    """Signed by two people, and changed since by the one whose review it is."""
    path = submitted(open_as, site)
    for role in ("reviewer", "lead"):
        page = open_as(role, f"{path}signing/")
        page.get_by_role("radio").last.check()
        page.get_by_label("Password").fill(site.password)
        page.get_by_role("button", name="Sign", exact=True).click()
        page.wait_for_url("**#signatures")
    page = open_as("reviewer", path)
    row = page.locator("tbody[data-row]").first
    row.locator("[data-reason]").fill("looked again")
    row.get_by_role("button", name="Misstated").click()
    expect(page.locator("[data-standing=void]")).to_have_count(2)
    return path


def skipped(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    page = open_as("lead", path)
    page.keyboard.type("sneeds somebody who reads Haitian Creole")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: path not in url)
    return path


def proposed(open_as: Callable[..., Page], site: Site) -> str:
    """A redaction that waits, of words that another turn repeats; returns the path of its page."""
    site.freeze(**CITED, turn_index=4)
    page = open_as("lead", f"{site.freeze(**CITED, client_reference=LONG_NAME)}redact/")
    for words in ("the answer", "safety · risk_level", "document 1"):
        page.get_by_label(words, exact=True).check()
    page.get_by_label("Why").fill("She asked for it on the telephone, and in writing the day after.")
    page.get_by_role("button", name="Propose").click()
    page.get_by_role("button", name="Withdraw it").wait_for()
    return page.url.removeprefix(site.address)


def approved(open_as: Callable[..., Page], site: Site) -> str:
    """One that was carried out; returns the path of its page."""
    path = proposed(open_as, site)
    page = open_as("administrator", path)
    with page.expect_navigation():
        page.get_by_role("button", name="Approve, and redact").click()
    if page.get_by_label("Password").count():  # not asked again within a few minutes
        page.get_by_label("Password").fill(site.password)
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Redacted").wait_for()
    return path


def redacted_item(open_as: Callable[..., Page], site: Site) -> str:
    page = open_as("lead", approved(open_as, site))
    return page.locator("dd a").first.get_attribute("href") or ""


def redactions(open_as: Callable[..., Page], site: Site) -> str:
    proposed(open_as, site)
    return "/redactions/"


def choosing_nothing(page: Page) -> None:
    page.get_by_label("Why").fill("no part is chosen")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_role("alert")).to_be_visible()


def redacting(open_as: Callable[..., Page], site: Site) -> str:
    return f"{demonstrated('22')(open_as, site)}redact/"


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


def looking_for_nobody(page: Page) -> None:
    page.get_by_label("Client, provider or conversation").fill("zebra")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Nothing found").wait_for()


def with_all_entries(page: Page) -> None:
    page.locator(".all > summary").click()


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


def ending_a_membership(page: Page) -> None:
    page.get_by_label("End the membership of Imani Castellucci").click()


def with_link(page: Page) -> None:
    page.get_by_label("Make a password link for Imani Castellucci").click()
    expect(page.locator(".secret")).to_be_visible()


def accessed(open_as: Callable[..., Page], site: Site) -> str:
    open_as("lead", site.freeze(client_reference=LONG_NAME, conversation_id=LONG_NAME))
    return "/access/"


def unproved(page: Page) -> None:
    page.get_by_label("Password").fill("not the password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def nonsense(page: Page) -> None:
    page.evaluate("""() => {
        const form = document.querySelector("[role=search]");
        for (let i = 0; i < 1100; i++) form.append(Object.assign(document.createElement("input"), {name: "n" + i, type: "hidden"}));
        form.submit();
    }""")
    page.get_by_role("heading", name="That request makes no sense").wait_for()


def judging_citations(page: Page) -> None:
    """One supported, one not, with a note, in focus."""
    page.locator("#citation-0").get_by_role("button", name="Supports", exact=True).click()
    expect(page.locator("#citation-0 .judged")).to_have_attribute("data-verdict", "supports")
    page.locator("#citation-1").get_by_role("button", name="Does not support").click()
    expect(page.locator("#citation-1 .judged")).to_have_attribute("data-verdict", "does_not_support")
    page.keyboard.press("n")
    page.keyboard.type("the source says six hours")
    page.keyboard.press("Escape")
    expect(page.locator("#citation-1 .note")).to_have_text("the source says six hours")


def with_everything_open(page: Page) -> None:
    for summary in page.locator("main summary").all():
        summary.click()


def alarmed(_open_as: Callable[..., Page], site: Site) -> str:
    site.raise_alarm()
    return "/quality/"


def hostile_quality(_open_as: Callable[..., Page], site: Site) -> str:
    site.freeze(**HOSTILE, answered_at="2019-01-01T00:00:00Z")
    return "/quality/?since=2018-12-31&until=2019-01-02"


def citations_submitted(open_as: Callable[..., Page], site: Site) -> str:
    path = demonstrated("51")(open_as, site)
    page = open_as("lead", path)
    judging_citations(page)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)
    return path


def failing(page: Page) -> None:
    """Its page is fixed text: shown in place of what a request would have to break for it."""
    body = (Path(__file__).parents[2] / "templates" / "errors" / "500.html").read_text(encoding="utf-8")
    explanation = body.partition("{% block explanation %}")[2].partition("{% endblock %}")[0]
    page.locator(".lede").evaluate("(element, words) => { element.textContent = words; }", explanation)


def first_event(open_as: Callable[..., Page], _site: Site) -> str:
    path = open_as("auditor", "/ledger/").locator("tbody a").first.get_attribute("href")
    assert path
    return path


def exported(form: str = "Bundle", leads_to: str = "") -> Callable[..., str]:
    """The page of an export of an answer; ``leads_to`` another one afterwards."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        item = site.freeze(**HOSTILE).strip("/").split("/")[-1]
        page = open_as("auditor", f"/exports/new/?item={item}")
        page.get_by_label(form, exact=True).check()
        page.get_by_label("Reason").fill(f"<b>for the audit</b> {LONG_WORD}")
        page.get_by_role("button", name="Export").click()
        page.wait_for_url(lambda url: "/exports/new/" not in url)
        if page.url.endswith("/create/"):  # not proved before in this session
            page.get_by_label("Password").fill(site.password)
            page.get_by_role("button", name="Confirm").click()
        page.wait_for_url(re.compile("/exports/[0-9a-f-]{36}/"))
        return leads_to or page.url.removeprefix(site.address)

    return reach


def first_conflict(open_as: Callable[..., Page], _site: Site) -> str:
    path = open_as("lead", "/conflicts/").get_by_role("link", name="Decide the conflicts").first.get_attribute("href")
    assert path
    return path


def undecided(page: Page) -> None:
    """A decision that lacks its verdict."""
    page.locator("#decide").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.get_by_role("alert")).to_be_visible()


def reopening(page: Page) -> None:
    page.get_by_text("Have it reviewed once more").click()


PLACES: Mapping[str, Place] = {
    "conflicts": Place("lead", at("/conflicts/")),
    "conflicts of an auditor": Place("auditor", at("/conflicts/")),
    "conflict": Place("lead", first_conflict),
    "conflict, refused": Place("lead", first_conflict, undecided, ("422: POST",)),
    "agreement": Place("lead", at("/agreement/")),
    "agreement of a reviewer": Place("reviewer", at("/agreement/")),
    "item, reopening": Place("lead", submitted, reopening),
    "sign-in": Place(None, at("/accounts/login/")),
    "sign-in refused": Place(None, at("/accounts/login/"), wrong_password),
    "password forgotten": Place(None, at("/accounts/password/reset/")),
    "sign-out": Place("auditor", at("/accounts/logout/")),
    "account": Place("auditor", at("/accounts/2fa/")),
    "ledger": Place("auditor", at("/ledger/")),
    "ledger, none match": Place("auditor", at("/ledger/?object=00000000-0000-0000-0000-000000000000")),
    "event": Place("auditor", first_event),
    "quality": Place("reviewer", at("/quality/"), with_everything_open),
    "quality with an alarm": Place("lead", alarmed, with_everything_open),
    "quality, hostile": Place("auditor", hostile_quality),
    "quality, no answers in these days": Place("auditor", at("/quality/?since=2001-01-01&until=2001-02-01")),
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
    "item signed and changed since": Place("lead", signed_and_changed),
    "signing": Place("reviewer", to_be_signed),
    "signing for another": Place("lead", to_be_signed),
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
    "item with citations judged": Place("reviewer", demonstrated("51"), judging_citations),
    "item with citations submitted": Place("auditor", citations_submitted),
    "item withheld": Place("reviewer", demonstrated("55")),
    "item, sources looked for": Place("reviewer", demonstrated("59")),
    "item, sources found afterwards": Place("reviewer", worked("59")),
    "item, none found": Place("reviewer", worked("61")),
    "item, search failed": Place("lead", search_failed),
    "item without any field": Place("reviewer", frozen(response="Hello.", context={})),
    "item, empty": Place("reviewer", frozen(response="", user_text="", context={"safety": {"risk_level": "low"}})),
    "item, all hostile": Place("reviewer", frozen(**HOSTILE), pressing("j")),
    "suggestions": Place("coordinator", hostile_suggestions),
    "suggestions, none found": Place("coordinator", at("/why/"), looking_for_nobody),
    "why": Place("coordinator", suggested(demonstrated("05"))),
    "why, with all that was not mentioned": Place("coordinator", suggested(demonstrated("22")), with_all_entries),
    "why, with documents": Place("auditor", suggested(demonstrated("51"))),
    "why, from right to left": Place("coordinator", suggested(demonstrated("29"))),
    "why, nothing used": Place("lead", suggested(frozen(response="", context={}, provider="Ada Quill"))),
    "why, hostile": Place("coordinator", suggested(frozen(**HOSTILE, provider=LONG_NAME))),
    "suggestions side by side": Place("coordinator", side_by_side),
    "suggestions side by side, hostile": Place("coordinator", suggested(frozen(**HOSTILE, provider=LONG_NAME), "compare/")),
    "exports": Place("auditor", exported(leads_to="/exports/")),
    "export, a bundle": Place("auditor", exported()),
    "export": Place("auditor", exported("PDF")),
    "new export": Place("auditor", at("/exports/new/")),
    "calibration": Place("auditor", at("/calibration/")),
    "calibration of a combination": Place("lead", combination("caremate-4 · match v18")),
    "thresholds": Place("lead", combination("caremate-4 · match v18", "thresholds/?by=share&at=0.8")),
    "thresholds, hostile": Place("auditor", combination(LONG_NAME[:20], "thresholds/?by=density&at=x"), expected=("422: GET",)),
    "planner": Place("lead", combination("caremate-4 · match v18", "planner/")),
    "planner, hostile": Place("lead", combination(LONG_NAME[:20], "planner/?expected=x"), expected=("422: GET",)),
    "imports": Place("lead", at("/calibration/imports/")),
    "judges": Place("lead", at("/calibration/judge/")),
    "calibration, hostile": Place("lead", combination(LONG_NAME[:20])),
    "profile": Place("lead", profile()),
    "profile of an auditor": Place("auditor", profile()),
    "profile, what changes": Place("lead", profile("changes/")),
    "profile, one confidence": Place("lead", profile("nodes/0/")),
    "settings of a lead": Place("lead", at("/settings/")),
    "settings": Place("administrator", at("/settings/")),
    "settings, new key": Place("administrator", proved("/settings/"), with_new_key),
    "settings, faulty key": Place("administrator", proved("/settings/"), with_faulty_key, ("422: POST",)),
    "members": Place("administrator", at("/settings/members/"), ending_a_membership),
    "members, a link": Place("administrator", proved("/settings/members/"), with_link),
    "texts": Place("administrator", at("/settings/texts/")),
    "retention": Place("administrator", at("/settings/retention/")),
    "retention of an auditor": Place("auditor", at("/settings/retention/")),
    "organisations": Place("reviewer", at("/organisations/")),
    "access": Place("auditor", accessed),
    "asked for a proof": Place("administrator", at("/accounts/reauthenticate/?for=export&next=/settings/")),
    "proof refused": Place("administrator", at("/accounts/reauthenticate/?for=export"), unproved, ("422: POST",)),
    "sign-in after the end": Place(None, at("/accounts/login/?next=/queue/&ended=idle")),
    "redactions": Place("administrator", redactions),
    "redaction proposed": Place("lead", proposed),
    "redaction to be approved": Place("administrator", proposed),
    "redaction approved": Place("administrator", approved),
    "choosing what to redact": Place("lead", redacting, choosing_nothing, ("422: POST",)),
    "item redacted": Place("reviewer", redacted_item),
    "API": Place("administrator", at("/api/")),
    "400": Place("reviewer", at("/queue/"), nonsense, ("400: POST",)),
    "403": Place("coordinator", at("/queue/"), expected=("403: GET",)),
    "404": Place("reviewer", at("/nowhere/"), expected=("404: GET",)),
    "405": Place("reviewer", at("/queue/next/"), expected=("405: GET",)),
    "500": Place("reviewer", at("/nowhere/"), failing, ("404: GET",)),
}
