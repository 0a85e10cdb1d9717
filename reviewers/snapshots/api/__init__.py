"""The HTTP API: turns in; snapshots, receipts and the citation instruction out."""
