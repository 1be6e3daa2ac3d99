"""Stored trajectories under different controllers. Pure."""
