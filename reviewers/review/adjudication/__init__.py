"""Adjudication: decisions derived from labels, conflicts that a lead decides, and reopened items."""
