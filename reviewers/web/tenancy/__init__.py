"""Tenancy: the current organisation, and row-level security in the database."""
