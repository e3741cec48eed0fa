"""The number of threads that ``n_jobs`` stands for."""

from __future__ import annotations

from joblib import effective_n_jobs

# Upper bound on the number of threads; the core has the same bound.
MAX_THREADS = 1024


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``, as joblib interprets it in its contexts."""
    return min(max(1, effective_n_jobs(n_jobs)), MAX_THREADS)
