"""What a confidence method is, and what the model under test has read when it is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hinterguesser.domain.dialogue import Hint
from hinterguesser.domain.estimate import Estimate
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.domain.script import Call, Message, Sampling, Script


@dataclass(frozen=True, slots=True)
class Subject:
    """The model under test, and how it is asked."""

    model: str
    prompts: PromptBook
    rendering: Literal["chat", "plain"] = "chat"
    """'plain': worked examples and a transcript as one text, for models that follow it better than a chat template."""
    top_logprobs: int = 20
    """How many alternatives a token may come with: what the model offers, or what the user asked for."""
    swap_labels: bool = False
    """Ask each label probe under both orders of its labels, and average."""
    reuse_prompt: bool = True
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Game to the names of its closed entity list, for methods that weigh a candidate against the others."""
    samples: int = 20
    """How many replies a sampling method draws (the paper's m)."""
    seed: int = 0
    """Of sampled replies, for models that take one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer that a confidence is about."""

    text: str
    accepts: Callable[[str], bool]
    """Whether another answer is the same as this one, by the one matcher (with aliases, where it is the gold one)."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the model under test has read: the question block of one turn under one condition."""

    subject: Subject
    game: str
    instruction: str
    hints: tuple[Hint, ...]
    """Under the condition `single` one hint without a question: the summary."""
    n_candidates: int | None = None
    """How many entities still fit what was read, by the fact table; None without a certificate."""

    def ask(self, prompt: str, sampling: Sampling, *, continued: str = "", **fields: str) -> Call:
        """The call that puts `prompt` after the question block.

        `continued` is what the model is taken to have written already; only a plain text can be continued.

        The block comes first and never changes with the prompt, so that a server with a prefix cache reads it once a
        turn, whatever is asked about it.
        """
        subject = self.subject
        if subject.rendering == "plain":
            text = self._plain(prompt, fields) + continued
            return Call(subject.model, text, sampling, reuse_prompt=subject.reuse_prompt)
        last = Message("user", subject.prompts.render(prompt, **fields))
        return Call(subject.model, (*self._chat(), last), sampling, reuse_prompt=subject.reuse_prompt)

    def sampling(self, chat: Sampling, plain: Sampling) -> Sampling:
        """The one of two that goes with how the model is asked: a plain text must be told where to stop."""
        return plain if self.subject.rendering == "plain" else chat

    def _chat(self) -> list[Message]:
        messages = [Message("user", self.instruction)]
        for hint in self.hints:
            if hint.question:
                messages.append(Message("assistant", hint.question))
            messages.append(Message("user", hint.answer))
        return messages

    def _plain(self, prompt: str, fields: dict[str, str]) -> str:
        prompts = self.subject.prompts
        preamble = f"plain/preamble_{self.game}"
        parts = [prompts.text(preamble if preamble in prompts.texts else "plain/preamble_other")]
        for hint in self.hints:
            if hint.question:
                parts.append(prompts.render("plain/hint", question=hint.question, answer=hint.answer))
            else:
                parts.append(prompts.render("plain/clue", answer=hint.answer))
        parts.append(prompts.render(f"plain/{prompt}", **fields))
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class Method:
    """One way to read a model's confidence in a candidate answer."""

    name: str
    estimate: Callable[[Context, Candidate], Script[Estimate]]
    needs_logprobs: bool = False
    needs_names: bool = False
    """Whether it weighs the candidate against a closed list of names."""
    samples: bool = False
    """Whether it draws several replies at a temperature above 0."""
    judges_answer: bool = True
    """Whether what it says depends on the candidate; a reference from the fact table does not."""
