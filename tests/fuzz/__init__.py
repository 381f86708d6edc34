"""A driver that plays random operations against the real journal and a plain model, comparing every answer.

``make fuzz SECONDS=60 [SEED=...]`` runs it on a server of its own; the test suite runs a short one. The seed
is printed: with it every decision is made again, up to which of two concurrent operations came first.
"""
