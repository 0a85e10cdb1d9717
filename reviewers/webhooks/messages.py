"""Messages to endpoints: their signatures, and the text of an answer for endpoints that an administrator has marked for it.

A signature has the form of Standard Webhooks: an HMAC over identifier, time and body.

The text is what a program with a key may read of the question and the answer, as it is stored when the message is sent. No message with
text is stored, so that a redaction has nothing to look for here. Each sending has its audit event before it begins.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution import canonical_bytes, decode
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.texts import MATRIX, Surface, Text, TextViewer
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.models import QueueItem
from reviewers.snapshots.hooks import why_withheld
from reviewers.snapshots.ingest.freeze import thaw_grounds
from reviewers.snapshots.unmarked import unmark, unmark_answer
from reviewers.web.models import unpack
from reviewers.webhooks.models import Delivery
from reviewers.webhooks.outbox import ABOUT_ANSWERS

PREFIX = "whsec_"
_BYTES = 32

LONGEST_TEXT = 20_000
"""The most characters of each text in a message."""


def new_secret() -> str:
    """Return a new secret, as its owner keeps it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a message, with the version of its form."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join([message_id.encode(), str(timestamp).encode(), body])
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def headers_of(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers that let a receiver check where a message comes from, and that it is new."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, message_id, timestamp, body),
    }


@transaction.atomic
def body_with_text(delivery: Delivery, now: datetime) -> bytes:
    """Return the body of a message with the text of its answer, after writing the event of sending it.

    It is the stored body if the message is about no answer, or if what programs may read of the answer is withheld now.
    """
    if delivery.kind not in ABOUT_ANSWERS or why_withheld(delivery.object_id):
        return delivery.body.encode()
    told = {"endpoint": str(delivery.endpoint_id), "delivery": str(delivery.pk)}
    record(Event(Action.TEXT_SENT, delivery.organisation_id, SYSTEM, now, "snapshot", delivery.object_id, told))
    body = json.loads(delivery.body)
    body["data"]["text"] = _texts(delivery.organisation_id, delivery.object_id)
    return canonical_bytes(body)


def _texts(organisation_id: UUID, item_id: UUID) -> dict[str, Any]:
    """Return the texts that the table of protected texts allows, each cut to its length, and whether one was cut."""
    allowed = MATRIX[Surface.WEBHOOK][TextViewer.PROGRAM]
    item = QueueItem.objects.select_related("snapshot", "attribution__documents").get(organisation=organisation_id, pk=item_id)
    read = {name: reader(item) for name, (kind, reader) in _READERS.items() if kind in allowed}
    return {name: text[:LONGEST_TEXT] for name, text in read.items()} | {"is_cut": any(len(text) > LONGEST_TEXT for text in read.values())}


def _question(item: QueueItem) -> str:
    return unmark(json.loads(bytes(item.snapshot.record)).get("user_text") or "").text


def _answer(item: QueueItem) -> str:
    """Return the answer as it is shown to somebody who is not told where the model cites."""
    stored, cited = item.attribution, getattr(item.attribution, "documents", None)
    documents = thaw_grounds(unpack(cited.document), json.loads(bytes(item.snapshot.record))) if cited else None
    return unmark_answer(decode(unpack(stored.document), {}), documents).text


_READERS: Mapping[str, tuple[Text, Callable[[QueueItem], str]]] = {
    "question": (Text.QUESTION, _question),
    "answer": (Text.ANSWER, _answer),
}
