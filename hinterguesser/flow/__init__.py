"""Where pure and IO meet; the only place that awaits."""
