"""The Merkle tree over events, its proofs and its signed checkpoints, in plain Python: checking a receipt takes this folder and no site."""
