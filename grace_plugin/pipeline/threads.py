"""On how many threads of BLAS a call runs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from grace_plugin._common.config import RefineConfig
from grace_plugin._common.parallel import one_thread
from grace_plugin.moments.features import RICH_BASIS
from grace_plugin.pipeline.control_lags import looked_at
from grace_plugin.series.panel import Panel

# Products that make up the sums of lagged features: some .1 s on one thread. Below it there are thousands of
# small steps, before each of which threads wait for one another: on two cores that do other work as well, ten
# variables and 1000 rows take .16 s on one thread and 1.2 s on two.
_WORTH_THREADS = 2e9
# Rows for each column, below which the search takes longer than the sums: it gains nothing by threads (300
# variables and 1000 rows 3.6 s on one and on two, with nothing else to do), loses much where the machine is
# busy (4.7 and 38 processor seconds), and is the same to the bit for any `n_jobs` on one.
_ROWS_PER_COLUMN = 20


def enough_threads(panel: Panel, max_lag: int | None, config: RefineConfig) -> AbstractContextManager[None]:
    """One where steps are small; as many as there are where sums of many rows are nearly all the work."""
    if config.engine != "additive" or panel.stream is not None:
        return nullcontext()
    rows = sum(len(one.values) for one in panel.series)
    columns = panel.n_variables * (looked_at(panel, max_lag or 1, config.control_lag) + 1) * len(RICH_BASIS)
    worth = float(rows) * columns**2 >= _WORTH_THREADS and rows >= _ROWS_PER_COLUMN * columns
    return nullcontext() if worth else one_thread()
