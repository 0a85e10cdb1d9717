"""The API's responses about review items, and the filters of their list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import BeforeValidator, WithJsonSchema

from reviewers.review import wording
from reviewers.review.queue import filters
from reviewers.snapshots.api.schemas import Cursor, Moment

_LONGEST_VALUE = 500
_DAY = r"^(19|2[0-9])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def _day(given: Any) -> date | None:
    """Return a day as an address has it. Pydantic would also read seconds since 1970."""
    if given is not None and not re.search(_DAY, given):
        raise ValueError("write a day as in 2026-01-31")
    return date.fromisoformat(given) if given is not None else None


Day = Annotated[date | None, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date", "pattern": _DAY})]
Value = Annotated[str, Field(max_length=_LONGEST_VALUE)]


def _values(meaning: str, most: int = 50) -> Any:
    return Field(default_factory=list, max_length=most, description=meaning)


def _one_of(words: Mapping[str, str]) -> WithJsonSchema:
    """Return the values that the queue has words for. Others are taken and match nothing, as in an address of the queue."""
    return WithJsonSchema({"type": "string", "enum": [*words]})


class ItemFilter(Schema):
    """The filters of the list, named as in an address of the queue. Values of one name are alternatives; all names must match."""

    state: list[Literal["to_do", "held", "skipped", "submitted", "all"]] = _values(
        "The state of the item. `to_do` is meant if it is left out; `held` are those to do that somebody holds.", 5
    )
    plan: list[UUID] = _values("The identifier of the plan that the item is reviewed in.")
    source: list[Annotated[Value, _one_of(wording.SOURCES)]] = _values("Where the footnotes of the answer come from.")
    guardrail: list[Annotated[Value, _one_of(wording.GUARDRAILS)]] = _values("A finding on the answer.")
    validity: list[Annotated[Value, _one_of(wording.VALIDITIES)]] = _values("How well the answer is covered by citations of documents.")
    issue: list[Annotated[Value, _one_of(wording.ISSUES)]] = _values("What is wrong with a citation of a document.")
    answer: list[Annotated[Value, _one_of(wording.ANSWERS)]] = _values("What became of the answer before it was sent.")
    section: list[Value] = _values("The name of a section of the context that the answer draws on.")
    model: list[Value] = _values("The model, as its turns name it.")
    prompt: list[Value] = _values("The version of the prompt, as its turns name it.")
    since: Day = Field(None, description="The first day on which the answer was given.")
    until: Day = Field(None, description="The last day on which the answer was given.")
    flagged: Annotated[Literal["on"] | None, WithJsonSchema({"type": "string", "enum": ["on"]})] = Field(
        None, description="`on`: only items with an open flag."
    )
    unsupported: Annotated[Literal["on"] | None, WithJsonSchema({"type": "string", "enum": ["on"]})] = Field(
        None, description="`on`: only reviewed items of which a reviewer says that words of the answer are not in the record."
    )
    signed: list[Literal["holds", "void", "none"]] = _values(
        "Only reviewed items: signed so that it still `holds`, `void` because something changed since, or signed by nobody (`none`).", 3
    )

    def chosen(self) -> filters.Filter:
        """Return the filter. As in the queue, items to do are meant where no state is named."""
        states = frozenset(self.state) - {filters.ALL}
        default = filters.ALL_STATES if filters.ALL in self.state else frozenset({"to_do"})
        given = {kind: frozenset(values) for kind in filters.FACET_KINDS if (values := getattr(self, kind))}
        return filters.Filter(
            states=(states or default) | ({"submitted"} if self.signed or self.unsupported else frozenset()),
            facets=given,
            since=self.since,
            until=self.until,
            is_flagged=self.flagged is not None,
            is_unsupported=self.unsupported is not None,
            plans=frozenset(self.plan),
            signed=frozenset(self.signed),
        )


class ItemQuery(ItemFilter):
    """The filters of the list, and its cursor."""

    after: Cursor = Field(None, description="The `after` of the page before.")


class Labelled(Schema):
    """The number of found fields and of citations that have a verdict of the reviewer who submitted or holds the item."""

    rows: int
    citations: int


class SignedAs(Schema):
    """The meanings in which the reviews of an item are signed: those that hold, and those that are void because something changed."""

    holding: list[str]
    void: list[str]


class ItemSummary(Schema):
    """A review item as the queue lists it.

    While the reader may not know what the engine says of it, `is_blind` is true, `source`, `validity`, `found` and `labelled` are
    null and `guardrails` is empty.
    """

    id: UUID
    url: str
    name: str
    turn_index: int | None
    answered_at: Moment
    excerpt: str
    model: str
    prompt_version: str
    state: str
    plan: str
    is_blind: bool
    is_conflicted: bool
    is_flagged: bool
    source: str | None
    validity: str | None
    guardrails: list[str]
    found: int | None
    labelled: Labelled | None
    holder: str
    skip_reason: str
    submitted_by: str
    signed: SignedAs


class ItemPage(Schema):
    """A page of review items, the oldest answers first. `after` is the cursor of the next page, or null on the last one."""

    items: list[ItemSummary]
    after: UUID | None


class OtherVerdict(Schema):
    """The verdict of another reviewer of the same item."""

    reviewer: str
    verdict: str
    note: str


class GivenDecision(Schema):
    """The decision of a lead where reviewers disagreed."""

    verdict: str
    lead: str
    reason: str


class OwnLabel(Schema):
    """The member's own label of a field or a citation. `verdict` is null without one; `changed` counts changes after submission."""

    verdict: str | None
    note: str
    changed: int


class GivenLabel(OwnLabel):
    """The label of a field or a citation, with those of others and what a lead decided, as far as they may be known."""

    others: list[OtherVerdict]
    decision: GivenDecision | None


class Explanation(Schema):
    """A line that explains a row."""

    term: str
    text: str


class Row(Schema):
    """A field of the record: what was found of it, and its label.

    In a blind review `method`, `rule`, `track`, `confidence` and `interval` are null and `explanations` is empty.
    """

    number: int
    section: str
    path: str
    name: str
    value: str
    type: str
    found: bool
    withheld: bool
    method: str | None
    rule: str | None
    track: str | None
    confidence: float | None
    interval: list[float] | None
    below_cutoff: bool
    footnote: int | None
    contradiction: str
    mentioned: str
    attention_check: bool
    redacted: bool
    explanations: list[Explanation]
    label: GivenLabel


class Checked(Schema):
    """A check of a citation, in words, and the engine's sentence."""

    check: str
    text: str


class ModelJudgement(Schema):
    """The judgement of a model on a citation."""

    verdict: str
    sentence: str
    model: str
    refusal: str


class CitationInFull(Schema):
    """A citation of a source. `required` is true if a review needs a verdict on it. `checks` and `passage` are empty in a blind review."""

    number: int
    words: str
    quote: str
    required: bool
    remark: str
    checks: list[Checked]
    passage: str
    judgement: ModelJudgement | None
    label: GivenLabel


class Source(Schema):
    """A document that the model was given, with the citations of it. `trust` and `trust_score` are null in a blind review."""

    footnote: int | None
    title: str
    name: str
    kind: str
    host: str
    published_at: str
    trust: str | None
    trust_score: float | None
    text: str
    citations: list[CitationInFull]


class FlagOnIt(Schema):
    """A flag, what it is on in words, and what came of it, or null while it is open."""

    id: UUID
    kind: str
    on: str
    note: str
    reviewer: str
    at: Moment
    resolution: str | None


class OwnUnsupported(Schema):
    """The member's own label on words. By its `id` it is taken back."""

    id: UUID
    note: str


class UnsupportedWords(Schema):
    """Words of the answer of which reviewers say that nothing in the record supports them.

    `start` and `end` are their place in `text`, or null if the words are masked. `own` is null if the member does not say it. Spans that
    share at least half of the longer one are the same words. Where only some of several reviewers say it, `decision` is what a lead
    decided: `unsupported` or `supported`.
    """

    start: int | None
    end: int | None
    words: str
    reviewers: list[str]
    notes: list[str]
    own: OwnUnsupported | None
    decision: GivenDecision | None


class CommentOnIt(Schema):
    """A comment on an item."""

    id: UUID
    author: str
    at: Moment
    text: str


class FindingOnIt(Schema):
    """A finding of a guardrail or an issue of a citation. `number` is its place among all of them."""

    number: int
    finding: str
    text: str


class SubmittedBy(Schema):
    """A submitted review."""

    reviewer: str
    submitted_at: Moment


class ItemInFull(ItemSummary):
    """A review item as its page shows it.

    Labels name a row or a citation by its `number` in this `attribution`. `rows` are found in the answer, `unfound` are not. `reviews`,
    `comments` and labels of others are left out while the reader may not know them. `validity_reason`, `answer_trust` and its reason are
    null without documents and in a blind review.
    """

    attribution: UUID
    profile: str
    calibrated: bool | None
    user_text: str
    text: str
    validity_reason: str | None
    answer_trust: str | None
    answer_trust_reason: str | None
    findings: list[FindingOnIt]
    rows: list[Row]
    unfound: list[Row]
    sources: list[Source]
    reviews: list[SubmittedBy]
    flags: list[FlagOnIt]
    unsupported: list[UnsupportedWords]
    comments: list[CommentOnIt]
