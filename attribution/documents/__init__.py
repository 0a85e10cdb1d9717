"""Answers that cite documents: every grammar read, every citation looked up in what the model was given."""
