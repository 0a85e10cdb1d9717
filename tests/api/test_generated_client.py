"""A client that a generator makes of the API's document lists, reads, labels and submits."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from reviewers.review.models import QueueItem
from reviewers.web.tenancy import tenant
from tests.accounts.tokens import token_of
from tests.factories import BOTH, make_item, make_member, make_organisation
from tests.packages import install

pytestmark = pytest.mark.exhaustive

GENERATOR = "openapi-python-client==0.29.1"
DOCUMENT = Path(__file__).parent / "openapi.json"
PACKAGE = "footnote_client"


@pytest.fixture
def generated(tmp_path, monkeypatch) -> str:
    """The name of a package that the generator has made of the document, which can be imported."""
    environment = install(tmp_path / "generator", GENERATOR)
    settings = tmp_path / "settings.yaml"
    settings.write_text("post_hooks: []\n", encoding="utf-8")
    made = {"--path": DOCUMENT, "--output-path": tmp_path / PACKAGE, "--config": settings, "--meta": "none"}
    command = [sys.executable, "-m", "openapi_python_client", "generate", *(str(part) for pair in made.items() for part in pair)]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=300)  # noqa: S603 — ours
    monkeypatch.syspath_prepend(tmp_path)
    return PACKAGE


def test_a_generated_client_lists_reads_labels_and_submits(generated, committed, port):
    item = make_item(make_organisation(), **BOTH)
    with tenant.within(item.organisation_id):
        alice = make_member(item.organisation)
        _, token = token_of(alice)
    client = import_module(generated).AuthenticatedClient(f"http://127.0.0.1:{port}", token, raise_on_unexpected_status=True)
    models = import_module(f"{generated}.models")

    def ask(operation: str, *about, **given):
        return import_module(f"{generated}.api.{operation}").sync(*about, client=client, **given)

    page = ask("review_items.reviewers_review_api_list_items", state=[models.ReviewersReviewApiListItemsStateItem.TO_DO])
    assert [each.id for each in page.items] == [item.pk]
    one = ask("review_items.reviewers_review_api_get_item", item.pk)
    act = {"attribution": one.attribution}
    for row in one.rows:
        body = models.RowLabel(uuid4(), row=row.number, verdict=models.RowLabelVerdictType0.CORRECT, note="by a program", **act)
        assert ask("labelling.reviewers_review_api_post_label", item.pk, body=body).label.verdict == "correct"
    for citation in [each for source in one.sources for each in source.citations if each.required]:
        verdict = models.CitationLabelVerdictType0.SUPPORTS
        body = models.CitationLabel(uuid4(), citation=citation.number, is_blind=one.is_blind, verdict=verdict, **act)
        assert ask("labelling.reviewers_review_api_post_citation_label", item.pk, body=body).label.verdict == "supports"
    said = ask("labelling.reviewers_review_api_post_unsupported", item.pk, body=models.NewUnsupported(uuid4(), words="risk", **act))
    assert [each.own.id for each in ask("review_items.reviewers_review_api_get_item", item.pk).unsupported] == [said.id]
    assert ask("labelling.reviewers_review_api_post_submission", item.pk).id == item.pk
    with tenant.within(item.organisation_id):
        assert QueueItem.objects.get(pk=item.pk).submitted_by_id == alice.user_id
