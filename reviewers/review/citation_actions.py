"""What reviewers do with a citation: label it, put a note to it. Each call one transaction with its event."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.review import policies
from reviewers.review.authoring import NOTED, SAVED, Author, RowChoice, open_item, write
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.citations import Citation
from reviewers.review.deciding.settling import settle_again
from reviewers.review.items import Item


@transaction.atomic
def save_citation_label(*, choice: RowChoice, verdict: CitationVerdict, by: Membership, now: datetime, note: str | None = None) -> Item:
    """Give a citation a verdict; without ``note`` the note it had stays. Raises what ``save_label`` does."""
    item, citation = _open_citation(choice, by, now)
    author = Author(item, by, now)
    write(author, SAVED, citation_labels=[author.citation_label(citation.key, verdict, note, choice.reason)])
    settle_again(item, by, now)
    return item


@transaction.atomic
def save_citation_note(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> Item:
    """Put a note to a citation; its verdict stays, or stays open."""
    item, citation = _open_citation(choice, by, now)
    label = item.current_citations.get(citation.key)
    verdict = label.verdict if label else CitationVerdict.NONE
    author = Author(item, by, now)
    write(author, NOTED, citation_labels=[author.citation_label(citation.key, verdict, note, choice.reason)])
    settle_again(item, by, now)
    return item


def _open_citation(choice: RowChoice, by: Membership, now: datetime) -> tuple[Item, Citation]:
    """The item, held by this reviewer, and the citation that is meant."""
    item = open_item(choice, by, now)
    if not 0 <= choice.number < len(item.citations):
        raise policies.Invalid("There is no such citation.")
    return item, item.citations[choice.number]
