"""Plans: what is drawn into review, the phases of what was drawn, and who sees what meanwhile."""
