"""The ledger: audit events without protected text, and the Merkle log that seals them."""
