"""One zip for these members, and no other: what unzips to the same and is not the same is refused."""

import io
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence

import pytest

from audit.verify import container
from audit.verify.manifest import MEMBERS
from tests.audit.verify.made import Made, members_of

NAMES = ("one", "two")
PLAIN = container.encode([("one", b"first"), ("two", b"second")])
SHORT = container.encode([("one", b"first")])


def zipped(change: Callable[[zipfile.ZipFile], object]) -> bytes:
    """A zip that the standard library made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        change(made)
    return out.getvalue()


def info(name: str, **options: object) -> zipfile.ZipInfo:
    """A member as canonical as the standard library can have it."""
    made = zipfile.ZipInfo(name)
    made.create_system, made.external_attr = 3, 0o100644 << 16
    for option, value in options.items():
        setattr(made, option, value)
    return made


def written(**options: object) -> bytes:
    """The two members, each with these options."""

    def write(made: zipfile.ZipFile) -> None:
        made.writestr(info("one", **options), b"first")
        made.writestr(info("two", **options), b"second")

    return zipped(write)


def all_of(
    names: Sequence[str], method: int, contents: Mapping[str, bytes] | None = None
) -> Callable[[zipfile.ZipFile], None]:
    """Writes members of these names."""

    def write(made: zipfile.ZipFile) -> None:
        for name in names:
            made.writestr(info(name), (contents or {}).get(name, b"x"), compress_type=method)

    return write


def commented(made: zipfile.ZipFile) -> None:
    """A comment at the end."""
    made.writestr(info("one"), b"first")
    made.writestr(info("two"), b"second")
    made.comment = b"a remark"


def doubled(made: zipfile.ZipFile) -> None:
    """A name twice."""
    made.writestr(info("one"), b"first")
    with pytest.warns(UserWarning, match="Duplicate name"):
        made.writestr(info("one"), b"second")


def at_directory(data: bytes, at: int, value: bytes) -> bytes:
    """The zip with other bytes in the first record of its central directory."""
    begin = data.index(b"PK\x01\x02") + at
    return data[:begin] + value + data[begin + len(value) :]


def test_the_standard_library_reads_it_and_writes_the_same() -> None:
    with zipfile.ZipFile(io.BytesIO(PLAIN)) as opened:
        assert opened.testzip() is None
        assert [(one.filename, opened.read(one)) for one in opened.infolist()] == [
            ("one", b"first"),
            ("two", b"second"),
        ]
    assert written() == PLAIN


def test_it_is_read_back() -> None:
    found, wrong = container.decode(PLAIN, NAMES)
    assert ({name: bytes(content) for name, content in found.items()}, wrong) == (
        {"one": b"first", "two": b"second"},
        [],
    )


OTHERS = {
    "trailing bytes": PLAIN + b"\x00",
    "bytes before it": b"\x00" + PLAIN,
    "bytes between": PLAIN.replace(b"second", b"second!"),
    "a comment": zipped(commented),
    "a member's comment": written(comment=b"a remark"),
    "an extra field": written(extra=struct.pack("<2H", 0x9999, 0)),
    "another time": written(date_time=(1980, 1, 1, 0, 0, 2)),
    "another mode": written(external_attr=0o100755 << 16),
    "another system": written(create_system=0),
    "compressed": written(compress_type=zipfile.ZIP_DEFLATED),
    "a name twice": zipped(doubled),
    "a member more": zipped(all_of(("one", "two", "three"), zipfile.ZIP_STORED)),
    "a member less": SHORT,
    "another order": container.encode([("two", b"second"), ("one", b"first")]),
    "no directory": PLAIN[: PLAIN.index(b"PK\x01\x02")],
    "a directory of its own mind: name": at_directory(PLAIN, 46, b"0ne"),
    "a directory of its own mind: size": at_directory(PLAIN, 20, struct.pack("<I", 4)),
    "a directory of its own mind: offset": at_directory(PLAIN, 42, struct.pack("<I", 1)),
    "a directory of its own mind: flags": at_directory(PLAIN, 8, struct.pack("<H", 0x800)),
    "two directories": PLAIN + PLAIN[PLAIN.index(b"PK\x01\x02") :],
    "a zip behind a zip": PLAIN + PLAIN,
    "nothing": b"",
    "cut short": PLAIN[:-1],
    "cut in a header": PLAIN[:20],
}


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is_canonical(name: str) -> None:
    try:
        _, wrong = container.decode(OTHERS[name], NAMES)
    except container.NotCanonical:
        return
    assert wrong


def test_a_member_left_out_swapped_or_added_is_named(made: Made) -> None:
    """Whichever it is: the finding says which member is due, and which is there."""
    members = members_of(made.bundles["round"])
    for at, name in enumerate(MEMBERS):
        without = container.encode([(each, members[each]) for each in MEMBERS if each != name])
        (found,) = made.judged(without).findings.listed
        there = "'no member'" if name == MEMBERS[-1] else repr(MEMBERS[at + 1].encode())
        assert found.type == "container_unreadable"
        assert f"{name} is due, and {there} is there" in found.detail
    added = container.encode([*((name, members[name]) for name in MEMBERS), ("remarks", b"all is well")])
    (found,) = made.judged(added).findings.listed
    assert (found.type, "b'remarks' is there" in found.detail) == ("container_not_canonical", True)


def test_a_bundle_packed_again_by_others_is_refused(made: Made) -> None:
    """The same members, byte for byte, in another zip."""
    members = members_of(made.bundles["round"])
    deflated = zipped(all_of(MEMBERS, zipfile.ZIP_DEFLATED, members))
    assert made.types(deflated) == {"container_unreadable"}
    assert made.types(made.bundles["round"] + b"\n") == {"container_not_canonical"}
    assert made.types(b"") == {"container_unreadable"}
