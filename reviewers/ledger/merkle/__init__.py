"""The tree over the events, its proofs and its signed checkpoints, in plain Python: whoever checks a receipt needs this folder, no site."""
