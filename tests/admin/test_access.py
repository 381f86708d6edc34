"""Who gets in, and that nobody changes anything there."""

from typing import Any

import pytest
from django.db.models import Model

from tables.models import Role
from tables.models.staff import ADMIN_ROLES
from tests.admin import house as at

OUTSIDERS = sorted(set(Role) - ADMIN_ROLES)


@pytest.mark.django_db
@pytest.mark.parametrize("role", sorted(ADMIN_ROLES))
def test_whoever_works_here_sees_every_list_and_page(role: Role) -> None:
    shown = at.furnished()
    client = at.logged_in(shown.house, role)
    for model in at.registered():
        listed = client.get(at.list_address(model))
        assert listed.status_code == 200, model
        rows = listed.context["cl"].result_list
        for row in rows[:3]:
            assert client.get(at.page_address(row)).status_code == 200, row
