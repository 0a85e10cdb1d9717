"""What the worker does for accounts."""

from __future__ import annotations

from django.core.management import call_command
from procrastinate.contrib.django import app


@app.periodic(cron="17 3 * * *")
@app.task(queueing_lock="clear_sessions")
def clear_sessions(timestamp: int) -> None:
    """Delete the sessions that have run out."""
    del timestamp
    call_command("clearsessions")
