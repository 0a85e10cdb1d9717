"""Audit reports: one reading of the database, from which every format is written."""
