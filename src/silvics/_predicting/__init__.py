"""Grown trees and their predictions: tree arrays, predictors, out-of-bag estimates."""
