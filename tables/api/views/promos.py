"""Promotional pieces: their stock, their issue, and what tables have taken in."""

import uuid
from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act, command
from tables.api.base import TerminalView
from tables.api.serializers.cage import CageShown
from tables.api.serializers.promos import (
    PromoCollected,
    PromoCollectionBody,
    PromoIssueBody,
    PromoIssued,
    PromoStockBody,
)
from tables.services.promos import promo_collect, promo_issue, promo_stock


class CagePromotionStock(TerminalView):
    """The cage's stock of promotional pieces."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("promo.stock", CageShown, PromoStockBody, status=201),
    }

    def post(self, request: Request) -> Response:
        """Bring new pieces into the stock."""
        return self.run(promo_stock, casino_id=self.casino_id)


class CagePromotions(TerminalView):
    """Pieces that are with players."""

    acts: ClassVar[dict[str, Act]] = {
        "POST": command("promo.issue", PromoIssued, PromoIssueBody, status=201),
    }

    def post(self, request: Request) -> Response:
        """Give a player pieces; each number once, for ever."""
        return self.run(promo_issue, casino_id=self.casino_id)


class TablePromotions(TerminalView):
    """The promotional box of a table."""

    acts: ClassVar[dict[str, Act]] = {"POST": command("promo.collect", PromoCollected, PromoCollectionBody)}

    def post(self, request: Request, table_id: uuid.UUID) -> Response:
        """Take played pieces out and cancel them; two people sign."""
        return self.run(promo_collect, table_id=table_id)
