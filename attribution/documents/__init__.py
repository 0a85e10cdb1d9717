"""Answers that cite documents."""
