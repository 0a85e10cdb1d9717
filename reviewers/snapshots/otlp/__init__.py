"""Turns that arrive as traces over OTLP: their encoding, the table they wait in, and their mapping to records."""
