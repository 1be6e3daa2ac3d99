"""How a model's confidence is read, one file a method. Pure."""

BUILTIN = {
    "vanilla_verb": "hinterguesser.confidence.vanilla_verb",
    "p_true": "hinterguesser.confidence.p_true",
    "p_sufficient": "hinterguesser.confidence.p_sufficient",
}
"""Methods that ship, by name; nothing is imported until one is asked for."""
