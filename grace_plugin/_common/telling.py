"""Warnings that point at the user's own line, however deep the sentence arose."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

_OURS = str(Path(__file__).resolve().parent.parent) + os.sep


def tell(sentence: str, kind: type[Warning]) -> None:
    """Warn as if the first caller outside of this package had."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, kind, stacklevel=level)
