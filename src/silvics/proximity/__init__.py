"""Proximities and kernels of a grown forest (thesis 4.4.3)."""
