"""What the library does, for `logging`: nothing is shown unless the user asks for it.

>>> import logging
>>> logging.getLogger("grace_plugin").handlers
[<NullHandler (NOTSET)>]
"""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("grace_plugin")
LOGGER.addHandler(logging.NullHandler())
