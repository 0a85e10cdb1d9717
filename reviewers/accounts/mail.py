"""Mail: plain text, sent by the worker, which tries again when the mail server does not answer."""

from __future__ import annotations

from django.core.mail import EmailMessage
from procrastinate import RetryStrategy

RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)
"""After 4, 16, 64, 256 and 1,024 seconds."""


def send(address: str, subject: str, text: str) -> None:
    """Send a message to one address. Line breaks in the subject become spaces: an organisation's name is part of it."""
    EmailMessage(" ".join(subject.split()), text, to=[address]).send()
