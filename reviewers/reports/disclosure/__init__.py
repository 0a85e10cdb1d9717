"""Reports that tell less: with masks for auditors from outside, or without what says of whom they are."""
