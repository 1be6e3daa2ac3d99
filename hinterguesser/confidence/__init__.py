"""How a model's confidence is read, one file a method. Pure."""

PAPER = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")
"""The five methods of the paper, in its order."""

REFERENCES = ("oracle_correct", "oracle_sufficient")
"""Exact references, for dialogues with a certificate."""

BUILTIN = {name: f"hinterguesser.confidence.{name}" for name in (*PAPER, "candidate_likelihood", *REFERENCES)}
"""Methods that ship, by name; nothing is imported until one is asked for."""
