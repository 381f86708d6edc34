"""The auditor's verifier: judges a bundle, needs nothing but Python and a public key kept elsewhere.

Standard library, ``tables.engine``, ``tables.figures`` and the audit's pure checkers only: no database, no
Django, no network, no clock. Hashing, tree, notes, signatures and the container are written here once more,
from ``ledger/FORMAT.md`` and ``audit/FORMAT.md``, and share nothing with what writes them.
"""
