"""Everything in an answer that could be a value, found once, whatever the record says."""
