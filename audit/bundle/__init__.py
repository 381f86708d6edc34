"""Writing an auditor's bundle: the entries of a day, a table, a session or a round, and what proves them.

What a bundle is stands in ``audit/FORMAT.md``; what judges it, in ``audit.verify``, which shares nothing with
the journal's own code. Only the manifest's derived half comes from there: what the verifier will derive.
"""
