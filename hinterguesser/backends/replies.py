"""From a server's response to replies: one place for every dialect of the chat-completions format.

Pure. Text is made valid Unicode here, once; reasoning is parted from the answer here, once.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hinterguesser.backends.faults import Fault
from hinterguesser.confidence.boxes import split_reasoning
from hinterguesser.domain.script import Reply, TokenChoice, Usage

Plain = dict[str, Any]

NOTE_SURROGATES = "lone surrogates replaced"
NOTE_BYTES = "invalid UTF-8 replaced"
NOTE_SPACE = "white space before the first answer token skipped"
NOTE_NO_FIRST = "no log-probabilities of an answer token"
NOTE_REASONING_CUT = "reasoning cut off by the token limit"

_THINK_ENDS = ("</think>", "</thinking>", "</thought>", "[/THINK]")


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars a token."""

    input: float
    output: float
    cached: float | None = None
    """For input tokens read from the prompt cache; None: like any other."""

    def cost_usd(self, usage: Usage) -> float | None:
        """What `usage` costs; None when the server did not say how many tokens there were."""
        if usage.input_tokens is None and usage.output_tokens is None:
            return None
        tokens_in, cached = usage.input_tokens or 0, usage.cached_tokens or 0
        cached = min(cached, tokens_in) if self.cached is not None else 0
        cost = (tokens_in - cached) * self.input + (usage.output_tokens or 0) * self.output
        return cost + cached * (self.cached or 0.0)


def load_body(body: bytes, content_type: str) -> tuple[Plain, tuple[str, ...]]:
    """The JSON object in `body`, and what was repaired to read it.

    Raises:
        Fault: the body is empty, cut off, no JSON, or holds an error instead of a reply. All of it is tried again.
    """
    notes: tuple[str, ...] = ()
    if not body.strip():
        raise Fault("the server sent an empty body", status=200)
    try:
        plain = orjson.loads(body)
    except orjson.JSONDecodeError:
        # orjson is strict; lone surrogates, NaN and broken UTF-8 are real servers' output and are mended below.
        text = body.decode("utf-8", "replace")
        notes = (NOTE_BYTES,) if "�" in text and "�".encode() not in body else ()
        try:
            plain = json.loads(text)
        except ValueError as error:
            kind = content_type or "an unknown type"
            raise Fault(
                f"the server's answer ({kind}, {len(body)} bytes) is not complete JSON: {error}", status=200, text=text
            ) from None
    if not isinstance(plain, dict):
        raise Fault("the server's answer is JSON, but no object", status=200, text=repr(plain)[:1000])
    return plain, notes


def replies_from(plain: Mapping[str, Any], notes: tuple[str, ...] = (), prices: Prices | None = None) -> list[Reply]:
    """The replies in a response object, one a choice, in order.

    Tokens are counted for the request as a whole: the first reply carries those of the prompt, and those of the output
    are shared out evenly, so that sums over replies are right.

    Raises:
        Fault: there are no choices, or one holds no message.
    """
    choices = plain.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Fault("the server's answer holds no choices", status=200, text=repr(dict(plain))[:2000])
    usage = usage_from(plain.get("usage"))
    shares = [usage] if len(choices) == 1 else _share(usage, len(choices))
    if len(choices) > 1:
        choices = sorted(choices, key=lambda choice: choice.get("index") or 0)
    return [_reply(choice, share, notes, prices) for choice, share in zip(choices, shares, strict=True)]


def usage_from(usage: Any) -> Usage:
    """Token counts as any of the dialects gives them."""
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    if cached is None:  # DeepSeek's and Anthropic's names
        cached = usage.get("prompt_cache_hit_tokens", usage.get("cache_read_input_tokens"))
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def first_answer_token(
    logprobs: Any, answer: str, *, reasoned: bool = False
) -> tuple[tuple[TokenChoice, ...], tuple[str, ...]]:
    """The candidates for the first token of `answer`, likeliest first, and notes.

    Servers list the tokens of the reasoning too, though they cut it from the text: what comes before a closing think
    mark, or before the answer's own text, is passed over; so is white space, unless it is all there is.
    """
    positions = _positions(logprobs)
    if not positions:
        return (), ()
    start = _answer_start([token for token, _ in positions], answer, reasoned)
    if start is None:
        return (), (NOTE_NO_FIRST,)
    notes: tuple[str, ...] = ()
    while start < len(positions) and not positions[start][0].strip():
        start, notes = start + 1, (NOTE_SPACE,)
    if start == len(positions):
        if len(positions) > 1:
            return (), (NOTE_NO_FIRST,)
        # The one token that was asked for: whoever follows what a model would write needs its candidates.
        start, notes = 0, (NOTE_NO_FIRST,)
    candidates = positions[start][1]
    return tuple(sorted(candidates, key=lambda choice: -choice.logprob)), notes


def _reply(choice: Any, usage: Usage, notes: tuple[str, ...], prices: Prices | None) -> Reply:
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if isinstance(message, Mapping):
        text, reasoning = _parts(message)
    elif isinstance(choice, Mapping) and isinstance(choice.get("text"), str):
        text, reasoning = choice["text"], None
    else:
        raise Fault("the server's answer holds a choice without a message", status=200, text=repr(choice)[:2000])
    finish_reason = choice.get("finish_reason")
    text, mended = valid_unicode(text)
    if mended:
        notes += (NOTE_SURROGATES,)
    if reasoning is not None:
        reasoning, _ = valid_unicode(reasoning)
        if finish_reason == "length" and not text.strip():
            notes += (NOTE_REASONING_CUT,)
    elif "think" in text.lower():
        reasoning, text, cut = split_reasoning(text)
        if cut:
            notes += (NOTE_REASONING_CUT,)
    first: tuple[TokenChoice, ...] = ()
    if choice.get("logprobs"):
        first, more = first_answer_token(choice["logprobs"], text, reasoned=reasoning is not None)
        notes += more
    cost = None if prices is None else prices.cost_usd(usage)
    return Reply(text, finish_reason, reasoning, first, usage, cost, notes)


def _parts(message: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text and the separate reasoning of a message."""
    content = message.get("content")
    reasoning = message.get("reasoning_content") or message.get("reasoning") or message.get("thinking")
    if isinstance(content, list):
        texts: list[str] = []
        thoughts: list[str] = []
        for part in content:
            if not isinstance(part, Mapping):
                texts.append(str(part))
            elif part.get("type") in ("thinking", "reasoning"):
                thought = part.get("thinking", part.get("text", ""))
                thoughts.append(thought if isinstance(thought, str) else "".join(_texts(thought)))
            else:
                texts.append(str(part.get("text") or ""))
        content = "".join(texts)
        reasoning = reasoning or "".join(thoughts)
    if content is None:
        content = message.get("refusal") or ""
    return str(content), reasoning if isinstance(reasoning, str) and reasoning else None


def _texts(parts: Sequence[Any]) -> list[str]:
    return [str(part.get("text", "")) if isinstance(part, Mapping) else str(part) for part in parts]


def valid_unicode(text: str) -> tuple[str, bool]:
    """`text` as valid Unicode, and whether it had to be mended: halves of a pair are joined, lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    return text, False


def _positions(logprobs: Any) -> list[tuple[str, list[TokenChoice]]]:
    """Token and candidates at each place, from the chat format or the older one of plain completions."""
    if not isinstance(logprobs, Mapping):
        return []
    content = logprobs.get("content")
    if isinstance(content, list):
        return [(str(at.get("token", "")), _candidates(at)) for at in content if isinstance(at, Mapping)]
    tokens, tops = logprobs.get("tokens"), logprobs.get("top_logprobs")
    if not isinstance(tokens, list):
        return []
    chosen = logprobs.get("token_logprobs") or [None] * len(tokens)
    tops = tops or [None] * len(tokens)
    found: list[tuple[str, list[TokenChoice]]] = []
    for token, logprob, top in zip(tokens, chosen, tops, strict=False):
        listed = [{"token": name, "logprob": value} for name, value in top.items()] if isinstance(top, Mapping) else top
        found.append((str(token), _candidates({"token": token, "logprob": logprob, "top_logprobs": listed})))
    return found


def _candidates(at: Mapping[str, Any]) -> list[TokenChoice]:
    listed = [
        TokenChoice(valid_unicode(str(top["token"]))[0], float(top["logprob"]))
        for top in at.get("top_logprobs") or ()
        if isinstance(top, Mapping) and top.get("token") is not None and top.get("logprob") is not None
    ]
    token, logprob = at.get("token"), at.get("logprob")
    if token is not None and logprob is not None and not any(choice.token == token for choice in listed):
        listed.append(TokenChoice(valid_unicode(str(token))[0], float(logprob)))
    return listed


def _answer_start(tokens: Sequence[str], answer: str, reasoned: bool) -> int | None:
    """The index of the first token that belongs to the answer; None when the answer is not among the tokens."""
    joined = "".join(tokens)
    wanted = answer.strip()
    # A mark that the answer itself holds is a mention.
    ends = [joined.rfind(mark) + len(mark) for mark in _THINK_ENDS if mark in joined and mark not in answer]
    if ends:
        begin = max(ends)
    elif not wanted:
        return None if reasoned else 0
    elif joined.lstrip().startswith(wanted[:20]):
        return 0
    else:  # reasoning without marks, or a template's own tokens, stand before the answer
        begin = joined.rfind(wanted)
        if begin < 0:  # tokens that are parts of a character do not join to the text
            return None if reasoned or len(joined) > 2 * len(answer) + 20 else 0
    at = 0
    for index, token in enumerate(tokens):
        if at >= begin:
            return index
        at += len(token)
    return None


def _share(usage: Usage, count: int) -> list[Usage]:
    tokens_out = usage.output_tokens
    each, rest = (0, 0) if tokens_out is None else divmod(tokens_out, count)
    shares = [Usage(0, each + (1 if at < rest else 0), 0) for at in range(count)]
    if tokens_out is None:
        return [usage] + [Usage()] * (count - 1)
    shares[0] = Usage(usage.input_tokens, shares[0].output_tokens, usage.cached_tokens)
    return shares


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
