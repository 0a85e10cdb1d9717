"""The search for citations in answers that came without any."""
