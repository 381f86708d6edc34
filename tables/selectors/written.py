"""Queries whose statement is written once, for what every command asks."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet
from django.db.models import query as django_query

M = TypeVar("M", bound=Model)


class Written(Generic[M]):
    """A query for one row that is compiled once, and asked with other values each time.

    Django writes a query's statement anew whenever it is asked. For a table with all that goes on at it that
    took as long as all else a command does in this process.

    Args:
        query: makes the query, when it is first asked, with stand-ins where values belong.
        stand_ins: those, all different, and each a parameter of the statement once at least.
    """

    def __init__(self, query: Callable[[], QuerySet[M]], *stand_ins: object) -> None:
        self._query = query
        self._stand_ins = stand_ins

    def get(self, *values: Any) -> M | None:
        """The row for these values, in the order of their stand-ins; None where there is none."""
        sql, parameters, read = self._written
        given = dict(zip(self._stand_ins, values, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(parameter, parameter) for parameter in parameters])
            row = cursor.fetchone()
        return None if row is None else read(list(row))

    @cached_property
    def _written(self) -> tuple[str, tuple[Any, ...], Callable[[list[Any]], M]]:
        compiler: Any = self._query().query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        assert set(self._stand_ins) <= set(parameters), "or a value would go nowhere"
        return sql, parameters, _reader(compiler)


def _reader(compiler: Any) -> Callable[[list[Any]], Any]:
    """Makes of a row what iterating over the query would."""
    select, about = compiler.select, compiler.klass_info
    converters = compiler.get_converters([column for column, *_ in select])
    first, last = about["select_fields"][0], about["select_fields"][-1] + 1
    names = [column.target.attname for column, *_ in select[first:last]]
    populators_of: Any = django_query.get_related_populators  # the stubs are of a later Django
    related = populators_of(about, select, DEFAULT_DB_ALIAS)

    def read(row: list[Any]) -> Any:
        for position, (steps, column) in converters.items():
            for convert in steps:
                row[position] = convert(row[position], column, connection)
        made = about["model"].from_db(DEFAULT_DB_ALIAS, names, row[first:last])
        for populator in related:
            populator.populate(row, made)
        for name, position in compiler.annotation_col_map.items():
            setattr(made, name, row[position])
        return made

    return read
