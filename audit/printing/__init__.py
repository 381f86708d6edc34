"""What auditors print and file: a round, a session, stiff sheets; each a page that is whole by itself.

The same records give the same bytes: a page says nothing of when or by whom it was printed.
"""
