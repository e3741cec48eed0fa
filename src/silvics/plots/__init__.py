"""Plots of trees and results, which need matplotlib, and text of trees."""
