"""The count of open alarms when the ledger is verified: every page shows it, and alarms and who looked at them are records."""

from __future__ import annotations

from uuid import UUID

from reviewers.accounts.models import Organisation
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.further import checks
from reviewers.quality.models import Alarm


def check_open_alarms(organisation_id: UUID) -> None:
    """Raise ``Differs`` where as many alarms wait as no record says."""
    waiting = Alarm.objects.filter(organisation=organisation_id, acknowledgement=None).count()
    if Organisation.objects.exclude(open_alarms=waiting).filter(pk=organisation_id).exists():
        raise Differs(Organisation, organisation_id, "is not how many alarms wait", "open_alarms")


checks.append(check_open_alarms)
