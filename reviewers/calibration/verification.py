"""Verification of profiles: records determine which are active and suspended, and the current state is compared with them."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.db import connection

from reviewers.accounts.models import Organisation
from reviewers.calibration.combinations import scope_of
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.shadow import record_of
from reviewers.ledger.verification.checks import LedgerMismatch

_FIRST = """
WITH seen AS (SELECT * FROM calibration_seencombination WHERE organisation_id = %(organisation)s),
active AS (
    SELECT profile.id, profile.combination_id FROM calibration_calibrationprofile AS profile
    JOIN calibration_profiledecision AS decision ON decision.profile_id = profile.id AND decision.outcome = 'approved'
    WHERE profile.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_retirement AS retirement WHERE retirement.profile_id = profile.id)
),
open AS (
    SELECT max(suspension.id::text)::uuid AS id, suspension.profile_id FROM calibration_suspension AS suspension
    WHERE suspension.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_lifting AS lifting WHERE lifting.suspension_id = suspension.id)
    GROUP BY suspension.profile_id
)
SELECT * FROM (
    SELECT coalesce(seen.id, active.combination_id) AS id, 'active_id' AS differing
    FROM seen FULL JOIN active ON active.combination_id = seen.id WHERE seen.active_id IS DISTINCT FROM active.id
    UNION ALL
    SELECT seen.id, 'suspension_id' FROM seen LEFT JOIN open ON open.profile_id = seen.active_id
    WHERE seen.suspension_id IS DISTINCT FROM open.id
) AS compared ORDER BY id LIMIT 1
"""

_MARKED = """
SELECT ARRAY(SELECT unnest(suspended_profiles) ORDER BY 1) <> ARRAY(
    SELECT DISTINCT profile.name::text FROM calibration_suspension AS suspension
    JOIN calibration_calibrationprofile AS profile ON profile.id = suspension.profile_id
    WHERE suspension.organisation_id = %(organisation)s
    AND NOT EXISTS (SELECT FROM calibration_lifting AS lifting WHERE lifting.suspension_id = suspension.id) ORDER BY 1
)::varchar[]
FROM accounts_organisation WHERE id = %(organisation)s
"""


def check_active_profiles(organisation_id: UUID) -> None:
    """Raise ``LedgerMismatch`` if another profile is active or suspended than the records of decisions and suspensions say."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST, {"organisation": organisation_id})
        if (found := cursor.fetchone()) is not None:
            raise LedgerMismatch(SeenCombination, found[0], "is not what was decided of its profiles", found[1])
        cursor.execute(_MARKED, {"organisation": organisation_id})
        if (found := cursor.fetchone()) is not None and found[0]:
            raise LedgerMismatch(Organisation, organisation_id, "are not those that are suspended", "suspended_profiles")
    for profile in CalibrationProfile.objects.filter(organisation=organisation_id, active_in__isnull=False).select_related("combination"):
        if record_of(profile)["scope"] != asdict(scope_of(profile.combination)):
            raise LedgerMismatch(SeenCombination, profile.combination_id, "is not what its profile was made for")
