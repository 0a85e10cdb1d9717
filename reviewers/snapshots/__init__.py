"""Frozen messages and their attributions: models, ingest, import, search."""
