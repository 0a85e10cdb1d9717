"""What several labels of one field come to. This is the one place where decisions join: what is decided stands above what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reviewers.review.models import Truth


class Undecided(Exception):  # noqa: N818 — it says how things stand, and is no error
    """Nobody can tell yet; the message says why."""


def truth_of(said: Sequence[str]) -> bool | None:
    """Whether a field is used, of what reviewers said of it; nothing where nobody could judge.

    More than half of those who judged decide. Raises ``Undecided`` where there is no such half.
    """
    judged = Counter(truth for truth in said if truth in (Truth.USED, Truth.NOT_USED))
    if not judged:
        return None
    truth, count = judged.most_common(1)[0]
    if 2 * count <= judged.total():
        raise Undecided("reviewers differ")
    return truth == Truth.USED
