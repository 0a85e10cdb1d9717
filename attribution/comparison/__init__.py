"""The mention's value against the record's, and the row that follows from it."""
