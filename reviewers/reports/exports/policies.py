"""Policies of exports: which ones can be made, and who may download them."""

from __future__ import annotations

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.scope import read_scope
from reviewers.reports.models import Export
from reviewers.review.policies import Invalid, Refused


def check_may_export(count: int, form: str) -> None:
    """Raise ``Invalid`` if there are more answers than the format can hold. A report of no answers is allowed, and says so."""
    most = FORMATS[form].most
    if most is not None and count > most:
        raise Invalid(
            f"{FORMATS[form].label} holds at most {most:,} answers, and these are {count:,}. Choose fewer days, CSV or JSON lines."
        )


def check_may_take(export: Export, by: Membership) -> None:
    """Raise ``Refused`` if the file may show more than the member may know."""
    if not may_take(export, by):
        raise Refused("Somebody else asked for this report. It may show labels that you may not know yet.")


def may_take(export: Export, by: Membership) -> bool:
    """Return True if a member may download the file.

    The member who requested it may, and so may members who do not label, because they may know everything that is submitted. External
    auditors may only download masked reports.
    """
    if by.is_external and read_scope(export.scope).profile is not DisclosureProfile.MASKED:
        return False
    return export.asked_by_id == by.user_id or not may(by, Permission.LABEL_ITEMS)
