"""The reference has every public name."""

from pathlib import Path

import grace_plugin as gp

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference() -> None:
    of_module = {"DataWarning", "GraceError"}  # listed with their module
    missing = [
        name for name in gp.__all__ if f":: grace_plugin.{name}\n" not in PAGE and name not in of_module
    ]
    assert missing == []
    assert ":: grace_plugin.exceptions\n" in PAGE
