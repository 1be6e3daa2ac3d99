"""Figures: one file a kind. Nothing here imports matplotlib before a figure is drawn."""
