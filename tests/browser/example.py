"""What the pages in these tests say."""

from made_up import course, named, told

from hinterguesser.report.page.content import Content, Drawn
from hinterguesser.report.sheets import Cell, Sheet

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</script><script>alert(3)</script>",
    "{{title}} ${alert(4)} javascript:alert(5)",
    "__proto__",
    "a\x00b\x1b[31mred\u202etxt\ud800",
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="80"><rect width="200" height="60"/></svg>'
SHEET = Sheet(
    name="t",
    title="A table",
    heads=("model", "method", "InfoECE", "N"),
    rows=tuple(
        tuple(map(Cell, row))
        for row in (
            ("m", "p_true", "9.5 % [1.0, 20.0]", "1,200"),
            ("", "cot_verb", "-", "0"),
            ("", "vanilla_verb", "31.4 % [15.4, 52.2]", "51"),
            ("", "p_sufficient", "-2.0 % [-9.0, 1.0]", "300"),
        )
    ),
    records=(),
    note="A note.",
)
DIALOGUES = [told(number, turns=3, game=("guess", "20q")[number % 2], rejected=number % 5 == 0) for number in range(60)]


def content(**changes):
    shown = [*DIALOGUES, *(named(name) for name in HOSTILE)]
    made = {
        "title": f"Report {HOSTILE[0]}",
        "about": HOSTILE[1],
        "findings": ["p_true rises in 81.0 % [70.0, 90.0] (N = 120).", *HOSTILE],
        "tables": [SHEET],
        "figures": [Drawn("levels", HOSTILE[1], "A caption.", "A black box.", SVG)],
        "settings": [("evaluate", [("models", HOSTILE[0])])],
        "left_out": ["Nothing."],
        "dialogues": [(each, [course(each), course(each, condition="single"), course(each, "n")]) for each in shown],
    }
    return Content(**{**made, **changes})
