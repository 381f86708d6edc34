"""The journal for other people's tools: plain text accounts that hledger and Beancount check by themselves.

``export_journal`` writes every entry with its movements, as debits and credits in integer minor units, and
what each account holds after them; last of all what the database says it holds. Neither tool shares a line
with ours, so ``hledger check --strict`` and ``bean-check`` are second opinions on every amount and balance.
"""

from ledger.exports.write import FORMATS, STANDARD_OUTPUT, export_journal

__all__ = ["FORMATS", "STANDARD_OUTPUT", "export_journal"]
