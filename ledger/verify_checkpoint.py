"""Verifying the journal against a signed checkpoint that somebody kept elsewhere."""
