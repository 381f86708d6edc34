"""Checkpoints: one signed number and hash that stand for the whole journal, kept where nobody here can reach.

Every entry's hash is a leaf of ONE append-only Merkle tree (RFC 6962), stream by stream in ranges, in the
order they were sealed. The SEALER appends what is new, signs the root with Ed25519 as a C2SP checkpoint in a
signed note, and writes the note outside the database too. Whoever keeps a note can, without trusting us:

- see that a later note continues it (a consistency proof), so nothing before it was changed or taken out;
- see that one entry is under it (an inclusion proof);
- have the whole journal judged against it: ``manage.py verify_journal --checkpoint FILE --key FILE``.

``tree`` (hashing, proofs), ``note`` (signed notes) and ``proof`` (their texts) are pure; ``keys`` keeps the
sealer's key, ``timestamp`` has somebody else's clock vouch for a note, ``store`` reads what was sealed,
``publish`` writes the folder, ``seal`` does the work, ``prove`` answers proofs and the state of the seals.
The bytes are described in ``ledger/FORMAT.md``.

A sealer that is down stops nobody: entries wait, unsealed, and the audit raises a finding about their age.
Killed between any two steps, run twice at once or bereft of its folder, the next run completes the work.
"""
