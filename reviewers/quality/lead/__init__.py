"""The page for leads: what is left and until when, load and pace, the fields most often wrong, and week against week."""
