"""A mask is drawn where text is masked, and nowhere else; what was revealed stands among the disclosures."""

from __future__ import annotations

from functools import partial

from reviewers.web.protected_text import MASK, shown
from tests.accounts.outside import make_external
from tests.factories import make_item, sign_in
from tests.reports.exporting.made import of_item, written
from tests.review.signed import make_signed
from tests.statements import statements_of

DRAWN = 'class="masked"'


def test_a_text_of_the_same_words_is_no_mask(organisation, auditor):
    item = make_item(organisation, user_text="[masked]", response="[masked]")

    for page in (sign_in(auditor).get(f"/items/{item.pk}/").content, written(auditor, "html", of_item(item.pk))):
        assert DRAWN not in page.decode()
        assert page.decode().count("[masked]") >= 2


def test_a_mask_is_drawn_wherever_it_is_cut_or_made_a_text(organisation):
    item, outsider = make_item(organisation), make_external(organisation)

    for page in (sign_in(outsider).get(f"/items/{item.pk}/").content, written(outsider, "html", of_item(item.pk))):
        assert page.decode().count(DRAWN) >= 2
        assert "[masked]</" not in page.decode()
    assert DRAWN in shown(str(MASK))
    assert DRAWN in shown(MASK[: len(MASK)])
    assert DRAWN not in shown(MASK[:3])


def test_what_somebody_from_outside_revealed_of_a_client_is_a_disclosure(organisation, auditor):
    item, other = make_item(organisation, client_reference="client-7"), make_item(organisation, client_reference="client-8")
    outside, desk = sign_in(make_external(organisation)), sign_in(auditor)
    for each, reason in ((item, "the complaint of March"), (other, "another one")):
        outside.post(f"/items/{each.pk}/reveal/", {"text": "QUESTION", "reason": reason})

    address = desk.post("/exports/search/", {"client": "client-7"})["Location"]
    page = desk.get(address).content.decode()

    assert ("the complaint of March" in page, "another one" in page) == (True, False)
    assert "Otto Outer" in page
    assert f"/items/{item.pk}/" in page
    assert "revealed" not in desk.get("/exports/").content.decode()
    assert len(statements_of(partial(desk.get, address))) <= 12


def test_a_provider_that_was_revealed_of_one_answer_is_masked_beside_another(organisation):
    """Each reveal has a reason and is recorded, of one answer."""
    one, other = (make_item(organisation, conversation_id="a talk", provider=name) for name in ("Ada Quill", "Zelda Zimmer"))
    outside = sign_in(make_external(organisation))

    def is_named():
        return "Zelda Zimmer" in outside.get(f"/why/{one.pk}/").content.decode()

    outside.post(f"/items/{one.pk}/reveal/", {"text": "PROVIDER", "reason": "the complaint of March"})
    assert "Ada Quill" in outside.get(f"/why/{one.pk}/").content.decode()
    assert not is_named()
    outside.post(f"/items/{other.pk}/reveal/", {"text": "PROVIDER", "reason": "the same complaint"})
    assert is_named()


def test_a_masked_report_leaves_out_the_digest_of_what_was_signed(organisation, alice, auditor):
    signature = make_signed(alice)
    scope, digest = of_item(signature.review.snapshot_id), bytes(signature.digest).hex()

    assert digest in written(auditor, "jsonl", scope).decode()
    told = written(make_external(organisation), "jsonl", scope).decode()
    assert "Alice" in told
    assert digest not in told
