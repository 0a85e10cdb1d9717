"""Looks for citations with a model: asks the deployment's endpoint, and reads what it replies with the engine."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from attribution import CitableSource, FoundCitations, MalformedReply, ModelQuestion, SearchFailed, find_in_reply, question_for_model

MOST_ASKED = 2
"""A reply that cannot be read is asked for once more."""


def search_by_model(answer: str, sources: Sequence[CitableSource], question: str) -> FoundCitations:
    """What the model of the endpoint finds. Raises ``SearchFailed`` where it comes to no result.

    Answer and sources are sent, the user's question is not: it only helps to judge here what is found. The endpoint is not asked
    where no source has a text. All of it takes MODEL_TIMEOUT seconds at most.
    """
    if not settings.MODEL_URL:
        raise SearchFailed("no model endpoint is set up in this deployment", may_pass=False)
    asked = question_for_model(answer, sources)
    if not asked.sources:
        return find_in_reply(b'{"citations": []}', asked)
    try:
        return _ask(asked, question)
    except SearchFailed as failed:
        failed.model = settings.MODEL_NAME
        raise


def _ask(asked: ModelQuestion, question: str) -> FoundCitations:
    """Ask the endpoint until a reply can be read, so often at most."""
    from reviewers.snapshots.model_endpoint import ModelEndpoint  # noqa: PLC0415 — slow to import, and the web needs it never

    with ModelEndpoint(settings.MODEL_URL, settings.MODEL_NAME, settings.MODEL_KEY, settings.MODEL_TIMEOUT) as endpoint:
        reason = ""
        for _ in range(MOST_ASKED):
            try:
                return find_in_reply(endpoint.reply_to(asked, reason), asked, question, model=settings.MODEL_NAME)
            except MalformedReply as error:
                reason = error.reason
    raise SearchFailed(f"two replies in a row could not be used, the last because {reason}", may_pass=False)
