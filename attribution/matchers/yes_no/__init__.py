"""Reading what an answer says of a yes-or-no field: where it speaks of it, what belongs to that, whether it states or denies it."""
