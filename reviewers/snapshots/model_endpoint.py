"""The client of an endpoint that speaks OpenAI's chat completions. It trusts nothing that comes, and logs nothing that goes.

Slow to import: only the worker imports it, when it asks.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx
import openai
from openai.types.chat import ChatCompletionMessageParam

from attribution import REPLY_SCHEMA, ModelQuestion, read_completion
from reviewers.snapshots.endpoint_failures import failure_of_connection, failure_of_status
from reviewers.web.bounded_http import BoundedTransport, Deadline

LARGEST_ANSWER = 2 * 1024 * 1024
_REFUSES_OPTION = (400, 422)

for _name in ("openai", "httpx", "httpcore"):  # at their most talkative these write down what is sent, whatever the site's level is
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def _format(name: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


class ModelEndpoint:
    """Asks one model, and is done with it ``timeout`` seconds after it was made.

    Requests are never repeated by themselves, and no redirect or proxy is followed.
    """

    def __init__(
        self, url: str, name: str, key: str, timeout: float, form: str = "citations", schema: Mapping[str, Any] = REPLY_SCHEMA
    ) -> None:
        self._name = name
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {key}" if key else openai.Omit()}
        self._options: dict[str, Any] = {"response_format": _format(form, schema), "temperature": 0}
        transport = BoundedTransport(Deadline(timeout), most_bytes=LARGEST_ANSWER)
        self._client = openai.OpenAI(
            base_url=url,
            api_key=key or "none",  # it wants one, and takes it from a variable of its own otherwise
            max_retries=0,
            http_client=httpx.Client(transport=transport, follow_redirects=False, trust_env=False),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._client.close()

    def reply_to(self, question: ModelQuestion, complaint: str = "") -> bytes:
        """The model's reply. ``complaint`` says why the last one could not be used. Raises ``MalformedReply`` and ``SearchFailed``."""
        messages: list[ChatCompletionMessageParam] = [
            {"role": "system", "content": question.instruction},
            {"role": "user", "content": question.texts},
        ]
        if complaint:
            messages.append(
                {"role": "user", "content": f"Your last reply could not be used: {complaint}. Reply with the JSON object only."}
            )
        return read_completion(self._ask(messages))

    def complete(self, instruction: str, texts: str) -> bytes:
        """The endpoint's whole answer to other texts, unread: with what it counts. Raises ``SearchFailed``."""
        return self._ask([{"role": "system", "content": instruction}, {"role": "user", "content": texts}])

    def _ask(self, messages: list[ChatCompletionMessageParam]) -> bytes:
        """Ask, with fewer options for an endpoint that refuses some."""
        while True:
            try:
                response = self._client.chat.completions.with_raw_response.create(
                    model=self._name, messages=messages, extra_body=dict(self._options), extra_headers=self._headers
                )
            except openai.APIStatusError as error:
                if error.status_code not in _REFUSES_OPTION or not self._gives_way(error.param):
                    raise failure_of_status(error) from None
            except openai.APIConnectionError as error:
                raise failure_of_connection(error.__cause__, self._timeout) from None
            else:
                return response.content

    def _gives_way(self, refused: str | None) -> bool:
        """Leave out the option that an endpoint refuses; where it does not say which, the form of the reply, once."""
        name = refused if refused in self._options else "response_format"
        return self._options.pop(name, None) is not None
