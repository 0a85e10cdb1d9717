"""Back, twice, and in two tabs."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.desk import current_row


def test_going_back_after_labelling_shows_the_labels(open_as, site):
    page = open_as("reviewer", "/queue/")
    page.goto(site.freeze())
    page.keyboard.press("1")
    expect(page.locator("tbody[data-used]").first).to_have_attribute("data-verdict", "correct")
    page.goto("/queue/")

    page.go_back()

    expect(page.locator("[data-verdict=correct]")).to_have_count(1)
    expect(page.locator("#to-go")).to_have_text("3 to go")


def test_going_back_after_submitting_shows_the_review_submitted(open_as, site):
    first, second = site.freeze_two(response="Your risk is elevated.")
    page = open_as("reviewer", first)
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{second}")

    page.go_back()

    page.wait_for_url(f"**{first}")
    expect(page.locator("#lease")).to_have_text("Submitted")


def test_a_page_out_of_the_memory_of_the_browser_is_loaded_anew(open_as, site):
    page = open_as("reviewer", site.freeze())

    with page.expect_navigation():
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")


def test_submitting_twice_submits_once_and_takes_one_item(open_as, site):
    first, second = site.freeze_two(response="Your risk is elevated.")
    page = open_as("reviewer", first)
    page.keyboard.press("1")
    expect(page.locator("#to-go")).to_have_text("0 to go")
    sent = []
    page.on("request", lambda request: sent.append(request.url) if "/submit/" in request.url else None)

    page.locator("#submit button").dblclick()

    page.wait_for_url(f"**{second}")
    assert len(sent) == 1
    expect(page.locator("#lease")).to_contain_text("Assigned to you")


def test_taking_the_next_twice_takes_one_item(open_as, site, complaints):
    site.freeze_two(model="taken twice")
    page = open_as("reviewer", "/queue/?model=taken+twice")

    page.get_by_role("button", name="Take the next").dblclick()

    page.wait_for_url("**/items/**")
    page.goto("/queue/?model=taken+twice&state=held")
    expect(page.locator("tbody tr")).to_have_count(1)
    heard = complaints[page.context].heard  # the second click may leave the page before the first is answered
    heard[:] = [each for each in heard if "/queue/next/ net::ERR_ABORTED" not in each]


def test_a_second_tab_shows_the_labels_of_the_first_where_it_gives_one_itself(open_as, site):
    path = site.freeze()
    page = open_as("reviewer", path)
    other = page.context.new_page()
    other.goto(path)
    page.keyboard.press("1")
    expect(page.locator("#to-go")).to_have_text("3 to go")

    other.keyboard.press("j")
    other.keyboard.press("2")

    expect(other.locator("#to-go")).to_have_text("2 to go")


def test_a_second_tab_is_told_that_the_review_was_submitted_in_the_first(open_as, site, expect_complaints):
    path = site.freeze(response="Your risk is elevated.")
    page = open_as("reviewer", path)
    other = page.context.new_page()
    other.goto(path)
    expect_complaints(page, "422: POST .*/label/", "409: POST .*/undo/")
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)

    other.keyboard.press("2")
    expect(other.locator("#notice")).to_contain_text("This review is submitted: changing a label needs a reason.")
    other.keyboard.press("u")
    expect(other.locator("#notice")).to_contain_text("Submitted labels cannot be undone.")
    other.reload()

    expect(other.locator("tbody[data-verdict=correct]")).to_have_count(1)
    expect(current_row(other).get_by_label("Reason for changing the label")).to_be_visible()


def test_a_submitted_label_is_changed_with_a_reason_by_keyboard(open_as, site):
    path = site.freeze(response="Your risk is elevated.")
    page = open_as("reviewer", path)
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)
    page.goto(path)

    page.get_by_label("Reason for changing the label").fill("looked again")
    page.keyboard.press("Escape")
    page.keyboard.press("2")

    expect(current_row(page)).to_have_attribute("data-verdict", "wrong")
    expect(current_row(page).locator(".trace")).to_contain_text("Was Correct, until it was changed: looked again")
