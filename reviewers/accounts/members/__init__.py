"""Members: invitations, roles, and the end of a membership."""
