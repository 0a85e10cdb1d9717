"""Agreement between reviewers, their attention to control rows, and their pace."""
