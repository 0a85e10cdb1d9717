"""Bundles: a report with its evidence, which anybody can verify without the site."""
