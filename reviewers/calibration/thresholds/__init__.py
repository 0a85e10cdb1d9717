"""Thresholds: cut-offs, their costs and benefits, and their page."""
