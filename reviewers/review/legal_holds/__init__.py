"""Legal holds: who places them, what they cover, and how two people lift them."""
