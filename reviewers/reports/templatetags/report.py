"""Template filters for the rows and moments of reports."""

from __future__ import annotations

from django import template

from reviewers.reports.exports.formats.wording import agreed, calibration, combination, decided, found_by, shortly

register = template.Library()
for each in (agreed, calibration, combination, decided, found_by, shortly):
    register.filter(each.__name__, each)
