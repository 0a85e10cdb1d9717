"""Tables of trust: an organisation's own levels of sources, written by one person, proposed, and approved by another."""
