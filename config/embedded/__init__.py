"""PostgreSQL and Redis without anything installed or configured.

``with services() as endpoints:`` or ``python -m config.embedded run -- COMMAND``.
"""

from config.embedded.launcher import Endpoints, services
from config.embedded.paths import EmbeddedError

__all__ = ["EmbeddedError", "Endpoints", "services"]
