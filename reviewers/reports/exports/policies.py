"""May anybody, in this state: which exports are made, and who may take them."""

from __future__ import annotations

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.reports.disclosure.profiles import Profile
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.scope import read_scope
from reviewers.reports.models import Export
from reviewers.review.policies import Invalid, Refused


def check_may_export(count: int, form: str) -> None:
    """Raise ``Refused`` where there is more than the format can hold. A report of no answers is one: it says that there are none."""
    most = FORMATS[form].most
    if most is not None and count > most:
        raise Invalid(
            f"{FORMATS[form].label} holds at most {most:,} answers, and these are {count:,}. Choose fewer days, CSV or JSON lines."
        )


def check_may_take(export: Export, by: Membership) -> None:
    """Raise ``Refused`` where a file may show more than somebody may know."""
    if not may_take(export, by):
        raise Refused("Somebody else asked for this report. It may show labels that you may not know yet.")


def may_take(export: Export, by: Membership) -> bool:
    """Whoever asked may take it; so may who labels nothing, and may know everything that is submitted; from outside, masked ones alone."""
    if by.is_external and read_scope(export.scope).profile is not Profile.MASKED:
        return False
    return export.asked_by_id == by.user_id or not may(by, Permission.LABEL_ITEMS)
