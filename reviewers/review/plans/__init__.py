"""Plans: sampling items for review, their phases, and who sees what in a blind plan."""
