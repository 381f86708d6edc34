"""django-hordak making the transfer that ours is compared with; run by a Python that has it, see peer.py.

The database comes in libpq's variables. It answers "ready VERSION" when its tables stand, then, for each
line with a number of seconds on standard input, how many transfers a second it made.
"""

import os
import sys
import time

import django
import hordak
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "mptt", "hordak"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"],
            "USER": os.environ["PGUSER"],
            "PASSWORD": os.environ["PGPASSWORD"],
            "NAME": os.environ["PGDATABASE"],
        }
    },
    DEFAULT_CURRENCY="USD",
    HORDAK_INTERNAL_CURRENCY="USD",
    CURRENCIES=["USD"],
    USE_TZ=True,
)


def main() -> None:
    """Migrate, open two accounts, and transfer for as long as told."""
    django.setup()
    from django.core.management import call_command
    from django.db import transaction
    from hordak.models import Account
    from moneyed import Money

    call_command("migrate", verbosity=0)
    source, target = (
        Account.objects.create(name=name, code=code, type="AS", currencies=["USD"])
        for code, name in (("1", "source"), ("2", "target"))
    )
    print(f"ready {getattr(hordak, '__version__', '')}", flush=True)
    for line in sys.stdin:
        done, started, seconds = 0, time.perf_counter(), float(line)
        while time.perf_counter() - started < seconds:
            with transaction.atomic():
                source.transfer_to(target, Money(100, "USD"))
            done += 1
        print(done / (time.perf_counter() - started), flush=True)


if __name__ == "__main__":
    main()
