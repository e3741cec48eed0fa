"""The steps of ``fit``: parameters, choices of the recipe, outputs, sampling, growth."""
