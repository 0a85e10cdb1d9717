"""That the browser has nothing to complain of says something only if its complaints are heard."""

from __future__ import annotations

import pytest

COMPLAINTS = {
    "error: went wrong": "console.error('went wrong')",
    "warning: looks odd": "console.warn('looks odd')",
    "uncaught: .*nobody caught": "setTimeout(() => { throw new Error('nobody caught'); })",
    "404: GET .*/nowhere/": "fetch('/nowhere/').then(() => null)",
    "failed: POST .*/refused/": "fetch('/refused/', {method: 'POST'}).catch(() => null)",
    "error: .*Content Security Policy": "document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))",
    "error: .*style.*Content Security Policy": "document.body.setAttribute('style', 'color: red')",
}


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_what_goes_wrong_in_the_browser_is_heard(open_as, expect_complaints, complaint):
    page = open_as("auditor", "/settings/")
    page.route("**/refused/", lambda route: route.abort("connectionrefused"))
    expect_complaints(page, complaint)

    page.evaluate(COMPLAINTS[complaint])
    page.wait_for_timeout(50)
