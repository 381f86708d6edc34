"""``python -m audit.helper CASINO DAY``: re-settles the sessions it is told (`audit.services.helpers`)."""

import gc
import json
import os
import sys
import uuid
from dataclasses import asdict
from datetime import date

import django


def main() -> None:
    """Answer each line with a line, until there are no more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from audit.selectors.days import SessionSpan, rule_sets
    from audit.services.resettlement import day_session_resettle
    from tables.models import Table

    # Next to nothing that is made from here on lies in a circle, and what was imported stays.
    gc.freeze()
    gc.set_threshold(50_000)
    casino_id, gaming_day = uuid.UUID(sys.argv[1]), date.fromisoformat(sys.argv[2])
    rule_set = rule_sets()
    for line in sys.stdin:
        session, table, opened_seq = json.loads(line)
        span = SessionSpan(uuid.UUID(session), Table.objects.get(id=table), opened_seq)
        done = day_session_resettle(span, casino_id=casino_id, gaming_day=gaming_day, rule_set=rule_set)
        sys.stdout.write(json.dumps(asdict(done)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
