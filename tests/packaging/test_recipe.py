"""The draft for conda-forge asks for what pyproject.toml asks for."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_recipe_has_every_dependency_with_its_bound() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[\n(.*?)\n\]", project, re.DOTALL | re.MULTILINE)
    assert listed is not None
    wanted = {f"{name} >={bound}" for name, bound in re.findall(r'"([a-z0-9-]+)>=([\d.]+)"', listed[1])}
    recipe = (ROOT / "docs" / "conda_recipe.yaml").read_text(encoding="utf-8")
    asked = set(
        re.findall(r"^    - (.+)$", recipe.partition("  run:")[2].partition("tests:")[0], re.MULTILINE)
    )
    assert asked == wanted | {"python >=3.10"}
