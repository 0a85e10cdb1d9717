"""Schemas: an organisation's registry of fields, uploaded, proposed by one person and approved by another."""
