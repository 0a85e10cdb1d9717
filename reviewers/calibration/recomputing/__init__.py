"""Stored turns attributed again by the present engine, in this process or on Spark, with a report of what changes."""
