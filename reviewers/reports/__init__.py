"""What a suggestion of a provider drew on, for people who do not label."""
