"""Experiments and illustrations of chapter 3."""
