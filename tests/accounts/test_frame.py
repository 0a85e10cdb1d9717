"""Pages that the sign-in package draws are in the frame of all others."""

from __future__ import annotations

from tests.factories import sign_in
from tests.markup import read_markup


def test_a_page_of_the_package_has_the_top_and_the_style_of_ours(alice):
    client = sign_in(alice)

    ours, theirs = (read_markup(client.get(f"/accounts/{page}/")) for page in ("2fa", "password/change"))

    assert theirs.one("title").text == "Change Password · Footnote"
    assert theirs.one("main", id="main").find("form")
    assert theirs.one("header", class_="top").text == ours.one("header", class_="top").text
    for tag in ("link", "symbol", "script"):
        assert [each.attributes for each in theirs.find(tag)] == [each.attributes for each in ours.find(tag)], tag
