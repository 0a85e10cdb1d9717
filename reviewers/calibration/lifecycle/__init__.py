"""The lifecycle of profiles: proposal, comparison, approval, suspension and retirement."""
