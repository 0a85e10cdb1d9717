"""The models of the review slice. Other modules import them from here."""

from reviewers.review.models.decisions import *  # noqa: F403 — the package has all that its modules have
from reviewers.review.models.plans import *  # noqa: F403 — as above
from reviewers.review.models.queue import *  # noqa: F403 — as above
from reviewers.review.models.talk import *  # noqa: F403 — as above
