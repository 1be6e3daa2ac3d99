"""What is made of finished dialogues: filters, placebo hints, summaries. Pure."""
