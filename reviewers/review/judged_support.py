"""A model's judgements on citations as pages and reports say them, and requests for them.

They are shown beside the labels of people and the checks of the engine, and change neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from attribution import CitableSource
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.accounts.policies import Refused
from reviewers.review.items import ReviewItem
from reviewers.review.queries import load_item
from reviewers.review.wording import Badge
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.judged_support.actions import citations_to_judge
from reviewers.snapshots.judged_support.queries import Judgement, SupportState
from reviewers.snapshots.models import JudgedVerdict, SupportRequest
from reviewers.snapshots.redactable_parts import is_of_record
from reviewers.snapshots.work_requests import request_judgements_again

_BADGES: Mapping[str, tuple[str, str]] = {
    JudgedVerdict.SUPPORTS: ("quiet", "many"),
    JudgedVerdict.CONTRADICTS: ("bad", "clash"),
    JudgedVerdict.DOES_NOT_SAY: ("warn", "unsure"),
}
"""Tone and icon of each judgement. None is green: a model's word is no check that was passed."""

REFUSED: Mapping[str, str] = {
    "not_in_source": "the sentence that it named does not stand in the source",
    "no_sentence": "it named no sentence of the source",
    "no_usable_reply": "its reply could not be used",
    "redacted": "it was emptied with parts of this record that were redacted",
}
"""The reason why a judgement does not count, in words."""


@dataclass(frozen=True, slots=True)
class ShownJudgement:
    """A judgement on a citation as it is shown; ``sentence`` is the one of the source that it rests on."""

    verdict: str
    badge: Badge
    sentence: str
    model: str
    judged_at: datetime
    refusal: str

    @property
    def words(self) -> str:
        """Return the judgement as one line."""
        if self.refusal:
            return f"{self.badge.title}: {self.refusal} ({self.model})"
        return f"{self.badge.title} ({self.model})" + (f": “{self.sentence}”" if self.sentence else "")


def shown_judgements(item: ReviewItem) -> Mapping[CitationKey, ShownJudgement]:
    """Return the judgements on the citations of an item by the keys of these. The sentences are masked like the sources."""
    if not item.judgements or item.documents is None:
        return {}
    texts = {each.id: each for each in item.documents.sources}
    return {
        each.key: _shown(item.judgements[each.key], texts[each.source])
        for each in item.citations
        if each.key in item.judgements and each.source in texts
    }


def _shown(judgement: Judgement, source: CitableSource) -> ShownJudgement:
    sentence = source.content[slice(*judgement.sentence)] if judgement.sentence else ""
    return ShownJudgement(
        judgement.verdict, _badge(judgement), sentence, judgement.model, judgement.judged_at, REFUSED.get(judgement.reason, "")
    )


def _badge(judgement: Judgement) -> Badge:
    if not judgement.verdict:
        return Badge("A model’s judgement was refused", "quiet", "none")
    title = f"A model judged: {JudgedVerdict(judgement.verdict).label}"
    return Badge(title, *_BADGES[judgement.verdict])


# The newest request for an item, in words, and another one.

_STATES: Mapping[str, Badge] = {
    "pending": Badge("Being judged", "unsure", "heuristic"),
    "judged": Badge("Judged by a model", "quiet", "heuristic"),
    "failed": Badge("Judging failed", "bad", "cross"),
    "skipped": Badge("Not judged", "quiet", "none"),
}


@dataclass(frozen=True, slots=True)
class SupportStatus:
    """The status of judging an answer's citations; ``can_ask`` if somebody with the right may have it done now."""

    state: str
    badge: Badge
    words: str
    can_ask: bool


def support_status(item: ReviewItem, organisation: Organisation) -> SupportStatus | None:
    """Return the status of judging an item's citations, or None where there is nothing to say of it."""
    support = item.support
    can_ask = organisation.judges_support and not why_not_ask(item, organisation)
    if support is None:
        never = Badge("Not judged by a model", "quiet", "none")
        return (
            SupportStatus("none", never, "Nobody asked a model yet if the sources support what cites them.", can_ask) if can_ask else None
        )
    return SupportStatus(support.state, _STATES[support.state], _state_in_words(support), can_ask)


def _state_in_words(support: SupportState) -> str:
    if support.is_open:
        return "A model is being asked, in the background, if the sources support what cites them."
    if support.is_judged:
        count = len(support.judgements)
        judged = "One citation was" if count == 1 else f"{count} citations were"
        return f"{judged} judged by a model. Its judgements stand beside them and change nothing above."
    return f"Not every citation was judged by a model: {support.reason}."


def why_not_ask(item: ReviewItem, organisation: Organisation) -> str:
    """Return the reason why the citations of an item cannot be sent to a model now, or an empty string."""
    if item.is_blind or item.review_status.is_hidden:
        return "This answer is under blind review. Its citations can be judged once all reviews are in."
    if not organisation.judges_support:
        return "Judging citations by a model is turned off. It can be turned on under Settings."
    if any(is_of_record(name) for each in item.redacted for name in each.parts):
        return "Parts of this record were redacted, so nothing of it is sent."
    if item.support is not None and (item.support.is_open or item.support.is_judged):
        return "A model is being asked already, or has judged the citations."
    if item.documents is None or not citations_to_judge(item.documents):
        return "There is no citation here to judge."
    return ""


@transaction.atomic
def ask_for_support(*, item_id: UUID, by: Membership, now: datetime) -> SupportRequest:
    """Have the citations of an item judged. Raises ``Refused`` if nothing of it may be sent, or there is nothing to judge."""
    item = load_item(by, item_id, lock=True)
    if reason := why_not_ask(item, by.organisation):
        raise Refused(reason)
    number = SupportRequest.objects.filter(attribution=item.row.attribution_id).count() + 1
    return request_judgements_again(attribution=item.row.attribution, number=number, by=user_actor(by.user_id), at=now)
