"""Acts by which a member labels over the API: the bodies of their requests, and the responses."""

from __future__ import annotations

from typing import Annotated, Generic, Literal, TypeVar
from uuid import UUID

from ninja import Field, Schema
from pydantic import StrictBool, StrictInt, StringConstraints, WithJsonSchema

from reviewers.review.api.schemas import OwnLabel
from reviewers.snapshots.api.schemas import Moment

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00]*$")]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=5_000, pattern=r"^[^\x00]*$")]
"""Texts without the one sign that a database cannot store."""
_MOST = 1_000_000
Number = Annotated[StrictInt, Field(ge=0, le=_MOST)]
Identifier = Annotated[UUID, WithJsonSchema({"type": "string", "format": "uuid"})]
IsBlind = Annotated[
    StrictBool, Field(description="The item's `is_blind` as you read it: a blind review counts citations in its own order.")
]
Id = Annotated[
    Identifier, Field(description="An identifier that you make for this act. The same act sent again under it writes nothing more.")
]
Attribution = Annotated[Identifier, Field(description="The item's `attribution` as you read it. Numbers count within it.")]
Reason = Annotated[Text, Field(description="Needed to change a label after your review is submitted.")]

Said = TypeVar("Said")


class Act(Schema):
    """An act on an item as it was read."""

    id: Id
    attribution: Attribution


class NewLabel(Act, Generic[Said]):
    """A verdict, a note, or both."""

    verdict: Said | None = Field(None, description="Left out, the verdict stays as it is.")
    note: Annotated[LongText, Field(description="A note; an empty one deletes it. Left out, the note stays as it is.")] | None = None
    reason: Reason = ""


class RowLabel(NewLabel[Literal["correct", "wrong", "misstated", "cannot_judge"]]):
    """A verdict on a row, a note on it, or both."""

    row: Annotated[Number, Field(description="The `number` of the row.")]


class CitationLabel(NewLabel[Literal["supports", "does_not_say", "contradicts", "cannot_judge"]]):
    """A verdict on a citation, a note on it, or both."""

    citation: Annotated[Number, Field(description="The `number` of the citation.")]
    is_blind: IsBlind


class NewUnsupported(Act):
    """Words of the answer that nothing in the record supports."""

    words: Annotated[Text, Field(min_length=1, description="Words copied from the item's `text`, without citations.")]
    occurrence: Annotated[StrictInt, Field(ge=1, le=1_000, description="Which of them is meant, if they stand there more than once.")] = 1
    note: Annotated[LongText, Field(description="A note on them.")] = ""
    reason: Reason = ""


class TakenBack(Act):
    """Words of which you do not say any more that they are not in the record."""

    unsupported: Annotated[Identifier, Field(description="The `id` of your own label on them.")]
    reason: Reason = ""


class NewUndo(Act):
    """The undoing of your last act."""

    is_blind: IsBlind


class NewSkip(Schema):
    """The skipping of an item."""

    reason: Annotated[Line, Field(min_length=1, description="Why you do not review it, so that somebody else can take it up.")]


class NewFlag(Act):
    """A flag on a finding, a row or a citation by its `number`, or on `words` copied from the answer."""

    on: Annotated[Literal["finding", "row", "citation", "words"], Field(description="What is flagged.")]
    number: Annotated[Number, Field(description="The `number` of the finding, the row or the citation.")] = 0
    words: Annotated[Text, Field(description="Words of the answer as it is read, where `on` is `words`.")] = ""
    is_blind: IsBlind
    note: Annotated[Text, Field(min_length=1, description="What a lead should look at.")]


class NewResolution(Schema):
    """The resolution of a flag."""

    note: Annotated[Text, Field(min_length=1, description="What came of it.")]


class NewComment(Schema):
    """A comment on an item."""

    id: Id
    text: Annotated[LongText, Field(min_length=1, description="The comment. An `@` before a member's name mentions them.")]


class TakenItem(Schema):
    """The item that you hold now, or null if nothing is left to do."""

    id: UUID | None


class NumberedLabel(Schema):
    """Your label of a row or a citation as it is now."""

    number: int
    label: OwnLabel


class SavedLabel(NumberedLabel):
    """Your label of a row or a citation as it is now. Those of others are told where the item is read, which is an audit event."""

    item: UUID


class SavedLabels(Schema):
    """Your labels that an act has changed, as they are now. `unsupported` is the number of places whose words were labelled."""

    item: UUID
    rows: list[NumberedLabel]
    citations: list[NumberedLabel]
    unsupported: int


class Written(Schema):
    """The identifier of what was written."""

    id: UUID


class SubmittedItem(Schema):
    """An item whose review you have submitted."""

    id: UUID
    submitted_at: Moment


class ReleasedItem(Schema):
    """An item that you do not hold any more."""

    id: UUID
