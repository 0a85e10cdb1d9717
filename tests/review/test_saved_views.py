"""Views of the queue that people save under a name, share, change and remove."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Role
from reviewers.review.labels.actions import save_label
from reviewers.review.models import QueueItem, SavedView, Verdict
from reviewers.review.queue import counts
from reviewers.review.queue.saved_views import MOST_VIEWS, change_view, remove_view
from tests.accounts.outside import make_external
from tests.events import events
from tests.factories import NOW, choose, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.listed import make_view
from tests.review.plans.planning import run_blind
from tests.review.signed import make_submitted, sign_as_it_stands

QUERY = "state=all&model=model-a"


def tabs_of(member, query="") -> dict[str, str]:
    """The views above the list, each with its address; the open one has a star."""
    links = _links(member, query)
    return {_name_of(each) + ("*" if each.attributes.get("aria-current") else ""): each["href"] for each in links}


def counts_of(member, query="") -> dict[str, str]:
    """The views above the list, each with the number of answers that it leaves, where that is counted."""
    return {_name_of(each): each.text.removeprefix(_name_of(each)).strip() for each in _links(member, query)}


def _links(member, query):
    return read_markup(sign_in(member).get(f"/queue/?{query}")).one("nav", aria_label="Views").find("a")


def _name_of(link) -> str:
    return " ".join(each.text for each in (*link.find("bdi"), *link.find("span", class_="quiet")))


def save(member, **form):
    """Save what is shown; the page that follows."""
    return sign_in(member).post("/queue/views/save/", {"name": "Model a", "query": QUERY} | form, follow=True)


def test_before_any_is_saved_there_is_what_is_to_do_and_everything(alice):
    assert tabs_of(alice) == {"To do*": "/queue/", "Everything": "/queue/?state=all"}
    assert tabs_of(alice, "state=all") == {"To do": "/queue/", "Everything*": "/queue/?state=all"}


def test_a_view_is_saved_for_oneself_and_opened(organisation, alice, bob):
    make_item(organisation, model="model-b")

    assert "The view is saved." in save(alice).content.decode()

    assert tabs_of(alice, QUERY)["Model a*"] == "/queue/?state=all&model=model-a"
    assert "Model a" not in tabs_of(bob)
    (event,) = events("view.saved")
    assert event["details"] == {"shared": False}
    assert event["object"] == {"type": "view", "id": str(SavedView.objects.get().pk)}


def test_each_view_says_how_many_answers_it_leaves(organisation, alice, monkeypatch):
    for number in range(3):
        make_item(organisation, model="model-a" if number else "model-b")
    make_view(alice)
    monkeypatch.setattr(counts, "COUNTED_OF_A_VIEW", 2)
    assert counts_of(alice) == {"To do": "3", "Model a": "2", "Everything": "3"}

    make_item(organisation, model="model-a")

    assert counts_of(alice)["Model a"] == "2+"


def make_signed_views(member):
    for name in ("holds", "void", "none"):
        make_view(member, f"Signed {name}", query=f"state=all&signed={name}")


def signed_counts(member):
    return [counts_of(member)[f"Signed {name}"] for name in ("holds", "void", "none")]


def test_views_by_signatures_are_counted_like_their_lists(alice):
    make_signed_views(alice)
    assert signed_counts(alice) == ["0", "0", "0"]

    items = [make_submitted(alice) for _ in range(3)]
    for item in items[:2]:
        sign_as_it_stands(item, alice)
    assert signed_counts(alice) == ["2", "0", "1"]

    save_label(choice=choose(items[0], reason="looked again"), verdict=Verdict.WRONG, by=alice, now=NOW)
    assert signed_counts(alice) == ["1", "1", "1"]
    sign_as_it_stands(items[0], alice)
    assert signed_counts(alice) == ["2", "0", "1"]


def test_a_count_of_the_newest_signatures_says_that_there_may_be_more(alice, monkeypatch):
    make_signed_views(alice)
    sign_as_it_stands(make_submitted(alice), alice)

    monkeypatch.setattr(counts, "SIGNATURES_COUNTED", 1)

    assert signed_counts(alice) == ["1+", "0+", "0"]


def test_a_count_leaves_out_what_the_filter_may_not_tell(organisation, lead, alice):
    item = make_item(organisation)
    guardrail = next(facet for facet in QueueItem.objects.get(pk=item.pk).facets if facet.startswith("source:")).replace(":", "=")
    make_view(alice, "By source", query=guardrail)
    assert counts_of(alice)["By source"] == "1"

    run_blind(lead)

    assert counts_of(alice)["By source"] == "0"


def test_a_view_keeps_its_order(organisation, alice):
    save(alice, query="model=model-a&order=newest")

    assert tabs_of(alice, "model=model-a&order=newest")["Model a*"] == "/queue/?model=model-a&order=newest"


def test_a_view_holds_no_words_of_a_search(organisation, alice):
    client = sign_in(alice)
    found = client.post("/queue/search/", {"words": "somebody soon", "query": QUERY})["Location"].partition("?")[2]
    assert "search=" in found

    client.post("/queue/views/save/", {"name": "Model a", "query": found})

    assert SavedView.objects.get().query == QUERY
    assert _name_of(read_markup(client.get(f"/queue/?{found}")).one("a", aria_current="page", href=f"/queue/?{QUERY}")) == "Model a"


def test_what_is_no_filter_is_not_saved(alice):
    save(alice, query=f"{QUERY}&after=x&next=//elsewhere.example")

    assert SavedView.objects.get().query == QUERY


def test_a_lead_shares_a_view_with_everybody_inside(organisation, lead, alice):
    save(lead, shared="1")

    assert tabs_of(alice)["Model a shared"] == f"/queue/?{QUERY}"
    assert "Model a shared" not in tabs_of(make_external(organisation))


def test_a_reviewer_shares_nothing(alice):
    assert "Only leads share views" in save(alice, shared="1").content.decode()
    view = make_view(alice)
    sign_in(alice).post(f"/queue/views/{view.pk}/change/", {"name": "Model a", "shared": "1"})

    assert not SavedView.objects.filter(is_shared=True).exists()
    assert not read_markup(sign_in(alice).get(f"/queue/?{QUERY}")).find("input", name="shared")


def test_a_view_is_renamed_by_its_owner(alice):
    view = make_view(alice)

    sign_in(alice).post(f"/queue/views/{view.pk}/change/", {"name": "Only a"})

    assert list(tabs_of(alice)) == ["To do*", "Only a", "Everything"]
    assert SavedView.objects.get(name="Only a").replaces == view
    assert len(events("view.changed")) == 1


def test_a_shared_view_is_changed_and_removed_by_any_lead(organisation, lead, alice):
    view, other = make_view(lead, is_shared=True), make_member(organisation, Role.LEAD)
    changed = change_view(view_id=view.pk, name="A", is_shared=True, by=other, now=NOW)
    assert "A shared" in tabs_of(alice)

    remove_view(view_id=changed.pk, by=other, now=NOW)

    assert "A shared" not in tabs_of(alice)
    assert events("view.removed")[0]["details"] == {"shared": True}


def test_a_reviewer_changes_no_view_of_a_lead(lead, alice):
    view = make_view(lead, is_shared=True)

    response = sign_in(alice).post(f"/queue/views/{view.pk}/remove/", follow=True)

    assert "Only its owner changes this view" in response.content.decode()
    assert "Model a shared" in tabs_of(alice)
    assert not read_markup(sign_in(alice).get(f"/queue/?{QUERY}")).find("form", action=f"/queue/views/{view.pk}/remove/")


def test_a_view_of_somebody_elses_own_is_not_there(alice, bob, lead):
    view = make_view(alice)

    for member in (bob, lead):
        assert sign_in(member).post(f"/queue/views/{view.pk}/remove/").status_code == 404


def test_of_two_who_change_a_view_at_once_the_second_is_told(alice):
    view = make_view(alice)
    client = sign_in(alice)
    client.post(f"/queue/views/{view.pk}/change/", {"name": "One"})

    for act, form in (("change", {"name": "Two"}), ("remove", {})):
        response = client.post(f"/queue/views/{view.pk}/{act}/", form, follow=True)
        assert "Somebody has changed or removed this view" in response.content.decode()

    assert list(tabs_of(alice)) == ["To do*", "One", "Everything"]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": " "}, "A view needs a name"),
        ({"name": "x" * 61}, "A view needs a name of at most 60"),
        ({"query": "model=" + "x" * 2_000}, "too many filters"),
    ],
)
def test_a_view_that_lacks_something_is_refused(alice, form, told):
    assert told in save(alice, **form).content.decode()
    assert not SavedView.objects.exists()


def test_there_is_room_for_so_many_of_each_kind(lead):
    for number in range(MOST_VIEWS):
        make_view(lead, f"View {number}", is_shared=True)

    assert f"There is room for {MOST_VIEWS} views" in save(lead, shared="1").content.decode()
    assert "The view is saved." in save(lead).content.decode()


def test_no_longer_shared_a_view_is_its_owners(lead, alice):
    view = make_view(lead, is_shared=True)

    sign_in(lead).post(f"/queue/views/{view.pk}/change/", {"name": "Model a"})

    assert "Model a" in tabs_of(lead)
    assert list(tabs_of(alice)) == ["To do*", "Everything"]
