"""Prompts as data: texts with `{{field}}` placeholders, read elsewhere and handed in."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hinterguesser.errors import UserError

_FIELD = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class PromptBook:
    """Every prompt by its file's name without the ending, e.g. 'p_true' or 'plain/answer_20q'."""

    texts: Mapping[str, str]

    def render(self, name: str, /, **fields: str) -> str:
        """The prompt `name` with each placeholder replaced; values are never looked into for placeholders.

        Raises:
            UserError: no such prompt, a placeholder without a value, or a value without a placeholder.
        """
        text = self.text(name)
        wanted = set(_FIELD.findall(text))
        if wanted != fields.keys():
            missing, extra = sorted(wanted - fields.keys()), sorted(fields.keys() - wanted)
            raise UserError(
                f"prompt '{name}': placeholders without a value: {missing}; values without a placeholder: {extra}"
            )
        return _FIELD.sub(lambda match: fields[match[1]], text)

    def text(self, name: str) -> str:
        """The prompt as it stands in its file.

        Raises:
            UserError: there is no such prompt.
        """
        if name not in self.texts:
            raise UserError(f"there is no prompt '{name}'; known: {', '.join(sorted(self.texts))}")
        return self.texts[name]

    def sha256(self) -> dict[str, str]:
        """Fingerprint of each prompt, for run.json."""
        return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(self.texts.items())}
