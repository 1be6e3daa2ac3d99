"""Ways to reach a model, one file each."""
