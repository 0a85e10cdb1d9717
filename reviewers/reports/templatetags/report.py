"""What report files write of rows and moments."""

from __future__ import annotations

from django import template

from reviewers.reports.exporting.formats.spoken import found_by, shortly

register = template.Library()
register.filter("found_by", found_by)
register.filter("shortly", shortly)
