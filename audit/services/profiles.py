"""The jurisdiction profiles of a house, as its row has them, against what its office's journal says."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import Subquery

from audit.codes import Found
from ledger.models import Entry
from tables.jurisdiction.catalogue import PROFILES
from tables.models import Casino

CHOICES = ("casino.open", "profile.set")


def profiles_astray(casino: Casino) -> Iterator[Found]:
    """Everything about a house's profiles that is not as it was chosen."""
    terms, kept = [], casino.profiles
    # The row is read by the statement that reads the journal: a choice made meanwhile is in both or none.
    row = Casino.objects.filter(id=casino.id).values("profiles")
    choices = Entry.objects.filter(stream__name=casino.stream, kind__in=CHOICES).order_by("seq")
    for entry in choices.annotate(row=Subquery(row)):
        kept = entry.row
        said = _choice(json.loads(entry.payload))
        if said is None:  # opened before houses had profiles
            continue
        digest = said.pop("digest")
        terms.append(said)
        released = PROFILES.get((said["name"], said["version"]))
        if released is None or released.digest != digest:
            evidence = {**said, "chosen": digest, "released": released and released.digest}
            yield Found("profile_changed", evidence, stream=casino.stream, seq=entry.seq)
    if terms != kept:
        yield Found("profiles_differ", {"journal": terms, "row": kept}, stream=casino.stream)


def _choice(payload: dict[str, Any]) -> dict[str, Any] | None:
    """The choice an entry made, with the digest of what was chosen."""
    if "effective_from" not in payload:
        opening: dict[str, Any] | None = payload.get("profile")
        return opening
    return {
        "from": payload["effective_from"],
        "name": payload["profile"],
        "version": payload["version"],
        "digest": payload["digest"],
    }
