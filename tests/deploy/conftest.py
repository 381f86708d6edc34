"""Which of these tests there are."""

import shutil

collect_ignore = [] if shutil.which("nginx") else ["test_nginx.py"]
"""A program of the system's (see tests/conftest.py)."""
