"""The audit events: who did what to what, when, without a word of protected text.

The Merkle log that seals them is built on these rows later; they are in their final form.
"""
