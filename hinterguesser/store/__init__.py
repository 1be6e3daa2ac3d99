"""Files: prompts, entity lists, run folders, the journal, releases."""
