"""What the night reads in a hurry is read as it always is: payloads and stored states."""

import json
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.selectors.journal import parsed
from audit.selectors.projections import stored_rules
from tables.engine.red_dog.text import stored_text
from tables.engine.registry import GAMES, AnyGame
from tests.engine.games import SAMPLES
from tests.engine.test_contract import walk


@pytest.mark.parametrize(
    ("payload", "value"),
    [
        ('{"a":1,"b":[true,null]}', {"a": 1, "b": [True, None]}),
        (' {"a":1} ', {"a": 1}),
        ('{"a":1}x', {}),
        ('{"a":1', {}),
        ('{"a":}', {}),
        ("{", {}),
        ("", {}),
        ("[1]", {}),
        ("nothing", {}),
        ('{"a":' + "[" * 100_000, {}),
    ],
)
def test_a_payload_is_the_object_it_is_or_none(payload: str, value: dict[str, Any]) -> None:
    assert parsed(payload) == value


@pytest.mark.django_db
@pytest.mark.parametrize("version", [1, 2])
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_state_is_written_as_postgresql_stores_it(data: st.DataObject, version: int) -> None:
    """So that a round's row can be compared letter by letter; where it differs, it is read."""
    played: AnyGame = GAMES["red_dog", version]
    rules = played.decode_rules(data.draw(SAMPLES["red_dog", version].rules))
    states = [before for before, *_ in walk(data, played, rules)]
    with connection.cursor() as cursor:
        texts = [json.dumps(played.encode_state(state)) for state in states]
        cursor.execute(
            "SELECT t::jsonb::text FROM unnest(%s::text[]) WITH ORDINALITY x(t, n) ORDER BY n", [texts]
        )
        stored = [text for (text,) in cursor.fetchall()]
    written = [stored_text(state, stored_rules(state.rules.text)) for state in states]
    plain = [getattr(state, "plain", True) for state in states]
    assert written == [text if by_itself else None for text, by_itself in zip(stored, plain, strict=True)]
