"""Versions: texts of an organisation that one person writes and proposes, and another approves. Schemas and tables of trust are such."""
