"""Snapshots: turns frozen with their context and attributions; ingest, the API, access and redaction."""
