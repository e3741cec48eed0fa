"""How many threads ``n_jobs`` means."""

from __future__ import annotations

from joblib import effective_n_jobs

# No machine has use for more; the core has the same bound.
MAX_THREADS = 1024


def n_threads(n_jobs: int | None) -> int:
    """How many threads ``n_jobs`` means here; joblib's contexts are honoured."""
    return min(max(1, effective_n_jobs(n_jobs)), MAX_THREADS)
