"""How far reviewers agree, whether they notice what is known to be wrong, and how fast they are."""
