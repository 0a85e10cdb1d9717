"""From labels to decisions: what reviewers agree on is decided, what they do not a lead decides; and what is reviewed once more."""
