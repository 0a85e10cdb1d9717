"""Audit reports: one reading of what is recorded, from which every format is written."""
