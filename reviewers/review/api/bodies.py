"""The bodies of requests that label and flag, and the API's responses to them."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from ninja import Field, Schema
from pydantic import StrictBool, StrictInt, StringConstraints, WithJsonSchema

from reviewers.review.api.schemas import GivenLabel, Moment

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
Note = Annotated[LongText, Field(description="A note; an empty one deletes it. Left out, the note stays as it is.")]
Reason = Annotated[Text, Field(description="Needed to change a label after your review is submitted.")]


class RowLabel(Schema):
    """A verdict on a row, a note on it, or both."""

    id: Id
    attribution: Attribution
    row: Number
    verdict: Literal["correct", "wrong", "misstated", "cannot_judge"] | None = None
    note: Note | None = None
    reason: Reason = ""


class CitationLabel(Schema):
    """A verdict on a citation, a note on it, or both."""

    id: Id
    attribution: Attribution
    citation: Number
    is_blind: IsBlind
    verdict: Literal["supports", "does_not_say", "contradicts", "cannot_judge"] | None = None
    note: Note | None = None
    reason: Reason = ""


class NewFlag(Schema):
    """A flag on a finding, a row or a citation by its `number`, or on `words` copied from the answer."""

    id: Id
    attribution: Attribution
    on: Literal["finding", "row", "citation", "words"]
    number: Number = 0
    words: Annotated[Text, Field(description="Words of the answer as it is read, where `on` is `words`.")] = ""
    is_blind: IsBlind
    note: Annotated[Text, Field(min_length=1, description="What a lead should look at.")]


class TakenItem(Schema):
    """The item that you hold now, or null if nothing is left to do."""

    id: UUID | None


class SavedLabel(Schema):
    """The label of a row or a citation as it is now."""

    item: UUID
    number: int
    label: GivenLabel


class PutFlag(Schema):
    """A flag that is put."""

    id: UUID


class SubmittedItem(Schema):
    """An item whose review you have submitted."""

    id: UUID
    submitted_at: Moment


class ReleasedItem(Schema):
    """An item that you do not hold any more."""

    id: UUID
