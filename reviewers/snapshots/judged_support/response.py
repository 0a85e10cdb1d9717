"""Judgements by a model in the API's response for a snapshot."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from reviewers.snapshots.ingest.freeze import thaw_documents
from reviewers.snapshots.judged_support.queries import Judgement, read_support_state
from reviewers.snapshots.queries import Summary


def support_of(found: Summary) -> dict[str, Any] | None:
    """Return the state of the newest request and the judgement on each citation, or None if no model was asked."""
    state = read_support_state(found.annotated["judged"])
    if state is None:
        return None
    documents = thaw_documents(json.loads(zlib.decompress(found.cited_document)), json.loads(found.record))
    texts = {each.id: each.content for each in documents.sources}
    told = sorted(state.judgements.values(), key=lambda each: (each.key.start or 0, each.key.source, each.key.repeat))
    return {
        "state": state.state,
        "number": state.number,
        "asked_at": state.asked_at.isoformat(),
        "reason": state.reason,
        "judgements": [_told(each, texts) for each in told],
    }


def _told(judgement: Judgement, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a judgement. Places of the cited words are those in the answer as the model wrote it, without citations."""
    return {
        "source": judgement.key.source,
        "start": judgement.key.start,
        "end": judgement.key.end,
        "found_afterwards": not judgement.key.is_own,
        "verdict": judgement.verdict or None,
        "refused": judgement.reason or None,
        "sentence": texts.get(judgement.key.source, "")[slice(*judgement.sentence)] if judgement.sentence else None,
        "model": judgement.model,
        "judged_at": judgement.judged_at.isoformat(),
    }
