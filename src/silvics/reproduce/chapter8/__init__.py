"""Chapter 8: ensembles on random patches."""
