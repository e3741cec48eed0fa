"""The steps of ``fit``: parameters, choices, outputs, sampling, growing."""
