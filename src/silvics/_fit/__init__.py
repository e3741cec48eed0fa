"""The steps of ``fit``: parameters, inputs, targets, growing."""
