"""No `Any` and no `object` in its place in what others may use, but for a host's untyped objects."""

from __future__ import annotations

import pytest

from tests.untyped import ALLOWED, HOSTS, everything, untyped_in


def test_every_type_says_something() -> None:
    assert [str(one) for one in everything() if not one.excuse] == []


def test_every_exception_is_still_needed() -> None:
    assert set(ALLOWED) - {one.key for one in everything()} == set()


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: Any) -> int: ...",
        "def f(x: int) -> Any: ...",
        "def f(x: int) -> dict[str, Any]: ...",
        "def f(*, x: int | Any = 1) -> None: ...",
        "def f(**options: Any) -> None: ...",
        "def f(x: 'list[Any]') -> None: ...",
        "def f(x: object) -> int: ...",
        "class C:\n    x: Any = None",
        "class C:\n    def f(self, x: Callable[[Any], None]) -> None: ...",
        "class C:\n    def __init__(self, x: Any) -> None: ...",
        "if TYPE_CHECKING:\n    def f(x: Any) -> None: ...",
    ],
)
def test_a_type_that_says_nothing_is_found(source: str) -> None:
    (found,) = untyped_in("graph.made_up", source)
    assert not found.excuse


@pytest.mark.parametrize(
    "source",
    [
        "def _f(x: Any) -> Any: ...",
        "def f(x: npt.NDArray[Any]) -> None: ...",
        "class _C:\n    x: Any",
        "def f(x: HostResult, **options: OptionValue) -> None: ...",
    ],
)
def test_private_ones_and_arrays_of_any_dtype_do_not_count(source: str) -> None:
    assert list(untyped_in("graph.made_up", source)) == []


def test_a_question_may_be_asked_of_anything() -> None:
    (found,) = untyped_in("series.made_up", "def is_table(data: object) -> bool: ...")
    assert found.excuse == "asked of anything"


@pytest.mark.parametrize("room", HOSTS)
def test_rooms_of_hosts_hold_their_objects(room: str) -> None:
    (found,) = untyped_in(room, "def f(native: Any) -> None: ...")
    assert found.excuse == "a host's object"
