"""Dialogues for a terminal: as wide as it is, with colour where it shows any, and never by colour alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hinterguesser.domain.course import Course
from hinterguesser.domain.dialogue import Dialogue, Failure, Turn
from hinterguesser.report.tables import MISSING, columns, percent, printable

LABEL = 12
"""Columns for what a line is about."""
NARROWEST = 40
"""Below so many columns, a label stands on a line of its own."""
BAR = 10
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class Screen:
    """What the terminal can do."""

    width: int = 80
    colour: bool = False
    blocks: bool = True
    """Whether its encoding has block characters and check marks."""

    def paint(self, text: str, code: str) -> str:
        """`text` in the style of an SGR code."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


STRONG, DIM, GOOD, BAD = "1", "2", "32", "31"


def listing(dialogues: Sequence[Dialogue], screen: Screen) -> Iterator[str]:
    """How many there are and why some were rejected, then a line each."""
    kept = sum(dialogue.kept for dialogue in dialogues)
    reasons = Counter(dialogue.reason or dialogue.outcome for dialogue in dialogues if not dialogue.kept)
    told = ", ".join(f"{count} {printable(reason)}" for reason, count in reasons.most_common())
    rejected = f", {len(dialogues) - kept} rejected ({told})" if told else ""
    yield from wrapped(f"{kept} kept{rejected}", screen.width)
    yield ""
    ids = max((columns(printable(dialogue.id)) for dialogue in dialogues), default=0)
    for dialogue in dialogues:
        end = dialogue.outcome if dialogue.kept else f"rejected: {dialogue.reason or dialogue.outcome}"
        name = padded(printable(dialogue.id), min(ids, max(20, screen.width - 40)))
        turns = f"{dialogue.length:>3} turn{'s' if dialogue.length != 1 else ' '}"
        plain = f"{name}  {turns}  {printable(end)}  {printable(dialogue.entity.name)}"
        lines = wrapped(plain, screen.width, indent=4)
        yield from lines if dialogue.kept else _painted(lines, DIM, screen)


def reading(dialogue: Dialogue, courses: Sequence[Course], screen: Screen) -> Iterator[str]:
    """One dialogue turn by turn, with what models did in it."""
    end = f"{dialogue.outcome}, kept" if dialogue.kept else f"{dialogue.outcome}, rejected: {dialogue.reason}"
    yield from _painted(wrapped(printable(dialogue.entity.name), screen.width), STRONG, screen)
    yield from _line("id", dialogue.id, screen)
    yield from _line("game", f"{dialogue.game}; {end}", screen)
    if dialogue.entity.aliases:
        yield from _line("also", "; ".join(dialogue.entity.aliases), screen)
    yield from _line("players", f"{dialogue.hinter} hints, {dialogue.guesser} guesses", screen)
    yield from _line("instruction", dialogue.instruction, screen)
    for turn in dialogue.turns:
        yield ""
        yield screen.paint(f"Turn {turn.turn}", STRONG)
        yield from _turn(turn, screen)
        for course in courses:
            yield from _course(course, turn.turn - 1, screen)
    if dialogue.failure is not None:
        yield ""
        yield from _failure(dialogue.failure, screen)


def _turn(turn: Turn, screen: Screen) -> Iterator[str]:
    yield from _line("hint" if turn.hint.question else "clue", f"{turn.hint.question} {turn.hint.answer}", screen)
    guess = turn.guess
    if guess is not None:
        yield from _line("guess", guess.guess, screen, verdict=turn.guess_correct)
        others = f": {'; '.join(guess.alternatives)}" if guess.alternatives else ""
        yield from _line("others", "none fits any more" if guess.unique else f"still fit{others}", screen)
    if turn.n_candidates is not None:
        unique = " (certified unique)" if turn.n_candidates == 1 else ""
        yield from _line("left", f"{turn.n_candidates} of the fact table{unique}", screen)
    if turn.placebo is not None:
        hint = turn.placebo.hint
        yield from _line("placebo", f"({turn.placebo.kind}) {hint.question} {hint.answer}", screen)
    if turn.summary is not None:
        yield from _line("summary", turn.summary, screen)


def _course(course: Course, at: int, screen: Screen) -> Iterator[str]:
    if at >= len(course.answers):
        return
    where = f" ({course.condition})" if course.condition else ""
    answer = course.answers[at]
    said = "no answer that could be read" if answer is None else answer
    if all(each is None for each in course.answers):
        said = "an answer that is not told"
    yield from _line(f"{course.model or 'model'}{where}", said, screen, verdict=course.correct[at])
    methods = dict.fromkeys(method for method, _ in course.confidences)
    width = max((columns(printable(method)) for method in methods), default=0)
    targets = max((columns(printable(target)) for _, target in course.confidences), default=0)
    for method in methods:
        cells = [
            f"{padded(printable(target), targets)}  {bar(values[at], screen)}"
            for (name, target), values in course.confidences.items()
            if name == method
        ]
        beside = f"    {padded(printable(method), width)}  {'   '.join(cells)}"
        if columns(beside) <= screen.width:
            yield beside
        else:
            yield from wrapped(f"    {printable(method)}", screen.width, indent=4)
            for cell in cells:
                yield from wrapped(f"      {cell}", screen.width, indent=6)


def bar(confidence: float | None, screen: Screen) -> str:
    """A confidence as a small bar and a number; words where there is none."""
    if confidence is None:
        return "unscored"
    if not screen.blocks:
        full = round(BAR * confidence)
        return f"[{'#' * full}{'.' * (BAR - full)}] {percent(confidence):>7}"
    eighths = round(8 * BAR * confidence)
    drawn = "█" * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")
    return f"{drawn}{'·' * (BAR - len(drawn))} {percent(confidence):>7}"


def _failure(failure: Failure, screen: Screen) -> Iterator[str]:
    yield screen.paint(f"It ended at turn {failure.turn}", STRONG)
    yield from _line(failure.stage, failure.error, screen)
    yield from _line("said", failure.text, screen)


def _line(label: str, text: str, screen: Screen, *, verdict: bool | None = None) -> Iterator[str]:
    label, text = printable(label), printable(text).strip() or MISSING
    if verdict is not None:
        right, wrong = ("✓ right", "✗ wrong") if screen.blocks else ("right", "wrong")
        text += f"  ({right if verdict else wrong})"
    if screen.width < NARROWEST or columns(label) > LABEL:
        yield from _painted(wrapped(f"  {label}", screen.width), DIM, screen)
        lines = wrapped(f"    {text}", screen.width, indent=4)
    else:
        first, *more = wrapped(f"  {padded(label, LABEL)}  {text}", screen.width, indent=LABEL + 4)
        head, body = first[: LABEL + 4], first[LABEL + 4 :]
        lines = [screen.paint(head, DIM) + body, *more]
    if verdict is None or not screen.colour:
        yield from lines
        return
    *before, last = lines
    yield from before
    kept, mark, ending = last.rpartition("(")
    yield f"{kept}{mark}{screen.paint(ending[:-1], GOOD if verdict else BAD)})" if mark else last


def _painted(lines: Iterable[str], code: str, screen: Screen) -> Iterator[str]:
    return (screen.paint(line, code) for line in lines)


def padded(text: str, width: int) -> str:
    """`text` with blanks up to `width` columns."""
    return text + " " * max(0, width - columns(text))


def wrapped(text: str, width: int, *, indent: int = 0) -> list[str]:
    """`text` in lines of at most `width` columns; lines after the first start with `indent` blanks.

    It breaks at blanks, and inside a word that is longer than a line. Blanks at its beginning and inside a line stay.
    """
    width = max(width, 2)
    indent = min(indent, max(0, width - 10))
    lines, line, used, empty = [], "", 0, True
    for word in _words(text):
        size = columns(word)
        if used + size > width and not empty and not word.isspace():
            lines.append(line.rstrip())
            line, used, empty = " " * indent, indent, True
        if word.isspace():
            if not empty or not lines:
                line, used = line + word, used + size
            continue
        while used + size > width:
            taken = _fitting(word, width - used)
            lines.append(line + taken)
            word = word[len(taken) :]
            line, used, size = " " * indent, indent, columns(word)
        line, used, empty = line + word, used + size, False
    return [*lines, line.rstrip()]


def _words(text: str) -> Iterator[str]:
    """Words and the blanks between them, in order."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or text[at].isspace() != text[start].isspace():
            yield text[start:at]
            start = at


def _fitting(word: str, width: int) -> str:
    """The longest beginning of `word` that takes at most `width` columns, one character at least."""
    end = 1
    while end < len(word) and columns(word[: end + 1]) <= width:
        end += 1
    return word[:end]
