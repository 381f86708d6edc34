"""The state of a round: the actions that were accepted, and what follows from them.

What is stored as JSON holds both; reading it plays the actions again, so that a state is read only when
a round can reach it. No hidden card is ever in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tables.engine.actions import Action
from tables.engine.card_room.rules import BankRules, PoolRules, Rules
from tables.engine.cards import PACK
from tables.engine.codec import canonical_text
from tables.engine.contract import JsonObject
from tables.engine.frozen import derived
from tables.engine.places import BANK, POOL

Phase = Literal["gathering", "dealing", "turns", "reante", "closing", "over"]
Stage = Literal["bet", "burn", "turn", "show"]
End = Literal["won", "lost", "forfeit", "pass", "discard", "sits_out", "returned"]
Handled = Literal["burned", "turned", "exposed"]


@dataclass(frozen=True)
class Face:
    """A card that left the pack face up, for which seat's turn, and what became of it."""

    card: str
    how: Handled
    seat: int | None

    @property
    def said(self) -> JsonObject:
        """The card as JSON."""
        return {"card": self.card, "how": self.how, "seat": self.seat}

    @derived
    def text(self) -> str:
        """The same, as it is written."""
        return canonical_text(self.said)


@dataclass(frozen=True)
class Payment:
    """A payment between ``seat`` and the pool or bank that went wrong."""

    seat: int
    kind: str
    amount: int
    corrected: bool = False


@dataclass(frozen=True)
class Player:
    """One player of the round and what moved for him, minor units.

    Args:
        cards: how many he was dealt face down; None before, and for a banker.
        ante: what he paid into the pool as antes, or put up as the bank.
        fee: what he paid the house.
        bet: the stake he stated.
        won: what he was paid beside his stake.
        forfeit: what he paid for not betting.
        mispaid: what wrong payments gave him, negative where they took.
        share: what a division or the bank's return gave him.
        end: how his turn ended, None before.
        turned: how many deciding cards had been turned when his turn ended.
        shown: the cards he showed.
    """

    seat: int
    cards: int | None = None
    ante: int = 0
    fee: int = 0
    bet: int = 0
    won: int = 0
    forfeit: int = 0
    mispaid: int = 0
    share: int = 0
    end: End | None = None
    turned: int = 0
    shown: tuple[str, ...] = ()

    @property
    def at_stake(self) -> int:
        """What lies on his wager."""
        return self.bet if self.end is None else 0

    @property
    def from_pool(self) -> int:
        """What pool or bank gave him on the whole, negative where he gave."""
        lost = self.bet if self.end == "lost" else 0
        return self.won + self.share + self.mispaid - self.ante - self.forfeit - lost

    @derived
    def net(self) -> int:
        """What his own chips gained, minor units, in a round that counts."""
        return self.from_pool - self.fee - self.at_stake

    @property
    def result(self) -> JsonObject:
        """What moved for him so far, minor units.

        A banker's bank stands as his ante, and what comes back of it as his share.
        """
        return {
            "end": self.end,
            "ante": self.ante,
            "fee": self.fee,
            "bet": self.bet,
            "won": self.won,
            "forfeit": self.forfeit,
            "mispaid": self.mispaid,
            "share": self.share,
            "net": self.net,
        }

    @derived
    def text(self) -> str:
        """The same, as it is written while the round counts."""
        return canonical_text(self.result)


@dataclass(frozen=True)
class State:
    """A round of a card-room game.

    Args:
        rules: the rule set it is played under.
        log: every accepted action.
        players: by seat number.
        dealer: who deals (and banks); None before the round is open.
        cards_each: what a hand should hold; 0 before the round is open.
        carried: what lay in the pool before the round.
        pool: what lies in the pool, or the bank, now.
        peak: the most that lay there after any action.
        order: the seats that are dealt a hand, in playing order (CR-TURN).
        hands: how many of them were dealt theirs.
        at: how many hands of the playing order have had their turn.
        stage: what the turn waits for.
        faces: the cards that left the pack face up, in order.
        anted: who has anted again since the pool was emptied.
        payments: what went wrong between seats and the pool.
        settled: the round was closed.
        void_reason: why the round does not count, or None.
    """

    rules: Rules
    log: tuple[Action, ...] = ()
    players: tuple[Player, ...] = ()
    dealer: int | None = None
    cards_each: int = 0
    carried: int = 0
    pool: int = 0
    peak: int = 0
    order: tuple[int, ...] = ()
    hands: int = 0
    at: int = 0
    stage: Stage = "bet"
    faces: tuple[Face, ...] = ()
    anted: tuple[int, ...] = ()
    payments: tuple[Payment, ...] = ()
    settled: bool = False
    void_reason: str | None = None

    @derived
    def banking(self) -> bool:
        """Whether one player banks."""
        return isinstance(self.rules, BankRules)

    @derived
    def burning(self) -> bool:
        """Whether a card is burned before each that decides."""
        return self.rules.game == "burning_card"

    @derived
    def place(self) -> str:
        """Where the money in the middle lies."""
        return BANK if self.banking else POOL

    @derived
    def seats(self) -> tuple[int, ...]:
        """The players' seats, ascending."""
        return tuple(player.seat for player in self.players)

    @derived
    def dealt(self) -> int:
        """Cards that left the pack face down."""
        return sum(player.cards or 0 for player in self.players)

    @derived
    def pack_left(self) -> int:
        """Cards still in the pack."""
        return len(PACK) - self.dealt - len(self.faces)

    @derived
    def needed(self) -> int:
        """Cards the pack must still give to decide the bet that is stated, or the next one."""
        return 2 if self.burning and self.stage in ("bet", "burn") else 1

    @derived
    def pack_out(self) -> bool:
        """Whether the pack cannot decide another bet (CR-PACK-OUT)."""
        return self.stage != "show" and self.pack_left < self.needed

    @derived
    def next_hand(self) -> int | None:
        """The seat that is next to be dealt its hand."""
        return self.order[self.hands] if self.hands < len(self.order) else None

    @derived
    def phase(self) -> Phase:
        """What the round waits for."""
        if self.settled or self.void_reason is not None:
            return "over"
        if self.dealer is None:
            return "gathering"
        if self.next_hand is not None:
            return "dealing"
        if self.stage != "bet":
            return "turns"
        if self.at == len(self.order) or self.pack_out:
            return "closing"
        if self.pool and not self.anted:
            return "turns"
        ended = self.banking or len(self.anted) == len(self.players)
        return "closing" if ended else "reante"

    @derived
    def due(self) -> int | None:
        """The seat whose turn it is; None where no turn is due."""
        return self.order[self.at] if self.phase == "turns" else None

    @derived
    def card(self) -> str | None:
        """The card turned for the bet that is stated, while it is undecided."""
        if self.stage != "show":
            return None
        return next(face.card for face in reversed(self.faces) if face.how == "turned")

    @property
    def stakes(self) -> dict[int, int]:
        """What lies on the wagers, by seat; nothing once the round is over."""
        if self.phase == "over":
            return {}
        return {player.seat: player.at_stake for player in self.players if player.at_stake}

    @derived
    def seen(self) -> tuple[str, ...]:
        """Every card this round has shown."""
        shown = (card for player in self.players for card in player.shown)
        return (*(face.card for face in self.faces), *shown)

    @derived
    def turned(self) -> int:
        """How many deciding cards were turned."""
        return sum(face.how == "turned" for face in self.faces)

    @derived
    def outcome(self) -> str | None:
        """``settled``, ``void``, or None while the round goes on."""
        if self.void_reason is not None:
            return "void"
        return "settled" if self.settled else None

    @derived
    def limit_passed(self) -> bool:
        """Whether the pool passed the agreed limit at any time (CR-LIMIT)."""
        limit = self.rules.pool_limit if isinstance(self.rules, PoolRules) else None
        return limit is not None and self.peak > limit

    @derived
    def next_dealer(self) -> int | None:
        """Who deals next among the players of this round; None until it is over (CR-NEXT)."""
        if self.dealer is None or self.outcome is None:
            return None
        if self.outcome == "void":
            return self.dealer
        return playing_order(self.seats, self.dealer)[0]

    def player(self, seat: int) -> Player:
        """The player on ``seat``, which must be one of the round."""
        for player in self.players:
            if player.seat == seat:
                return player
        raise LookupError(f"seat {seat} does not play this round")


def playing_order(seats: tuple[int, ...], dealer: int) -> tuple[int, ...]:
    """``seats`` clockwise from the left of ``dealer``, who is last where he is one of them (CR-TURN)."""
    behind = sorted(seat for seat in seats if seat > dealer)
    return (*behind, *sorted(seat for seat in seats if seat <= dealer))


def clockwise(seats: Iterable[int], first: int) -> tuple[int, ...]:
    """``seats`` clockwise, beginning with ``first`` or, where nobody sits there, the next to its left."""
    behind = sorted(seat for seat in seats if seat >= first)
    return (*behind, *sorted(set(seats) - set(behind)))
