"""What the commands of the pages talk to: a model that answers whatever it is asked, and a Hub; both on loopback."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from loopback import Loopback, chat
from loopback_hub import LoopbackHub
from quiz_packets import published_zip


def obliging(request):
    """Plays both roles, writes what `derive` and `enrich` want, and is surer the more it has read."""
    if request.method == "GET":
        return {"object": "list", "data": [{"id": "NAME", "object": "model"}]}
    messages = [message["content"] for message in request.body["messages"]]
    words, last = "\n".join(messages), messages[-1]
    for told, reply in REPLIES.items():
        if told in words:
            return chat(json.dumps(reply(words)))
    if "How confident" in last or "give your answer's chances" in last:
        return chat(f"### Confidence: \\boxed{{{min(95, 20 + 5 * len(messages))}}}")
    if "one capital letter" in last:
        answer = chat("A")
        listed = [{"token": token, "logprob": log, "bytes": None} for token, log in (("A", -0.3), ("B", -1.5))]
        answer["choices"][0]["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
        return answer
    return chat("\\boxed{London}", count=request.body.get("n", 1))


SECRETS: list[str] = []


def hint(words):
    secret = re.search(r"The secret: (.*)", words)[1]
    if secret not in SECRETS:
        SECRETS.append(secret)
    turn = len(re.findall(r"^\d+\. ", words, re.MULTILINE)) + 1
    number = SECRETS.index(secret)
    if "yes/no question" in words:
        return {"question": f"Is it filed as number {number} on page {turn}?", "answer": "Yes."}
    return {"question": f"What is its number on page {turn}?", "answer": f"The number {number}."}


def guess(words):
    known = re.findall(r"number (\d+)", words)
    right = len(known) > 1
    return {"guess": SECRETS[int(known[-1])] if right else "Nothing", "alternatives": [], "unique": right}


def read(words):
    town = re.search(r"The town is (\w+)", words)
    return {"answer": town[1], "confidence": 90} if town else {"answer": "Springfield", "confidence": 20}


REPLIES = {
    "You are the Hinter": hint,
    "You are the Guesser": guess,
    "Restate them": lambda words: {"summary": " ".join(re.findall(r"number \d+", words))},
    "tells nothing at all": lambda words: {"question": "Does two plus two make four?", "answer": "Yes."},
    "Say what is generally known": lambda words: dict.fromkeys(re.findall(r"^- (\w+):", words, re.MULTILINE)),
    "Does the given answer name the same": lambda words: {"same": False},
    "You decide whether an answer": lambda words: {"correct": False},
    "The evidence is a JSON list": read,
}
"""By what a prompt says: the JSON object that is replied."""


@pytest.fixture(scope="module")
def model_server():
    with Loopback(obliging, keep_requests=False) as server:
        yield server


@pytest.fixture
def hub():
    with LoopbackHub() as running:
        yield running


def hotpotqa(path: Path) -> None:
    """Ten made-up questions in the shape of the published file."""
    records = [
        {
            "_id": f"q{number}", "question": f"Which town is number {number}?", "answer": f"Town{number}",
            "supporting_facts": [[f"Second {number}", 0], [f"First {number}", 0]], "type": "bridge", "level": "hard",
            "context": [
                [f"Noise {number}", ["Nothing to see."]],
                [f"First {number}", [f"Number {number} is a town."]],
                [f"Other {number}", ["Nothing here."]],
                [f"Second {number}", [f"The town is {'Elsewhere' if number % 5 == 4 else f'Town{number}'}."]],
            ],
        }
        for number in range(10)
    ]  # fmt: skip
    path.write_text(json.dumps(records))


def musique(path: Path) -> None:
    """Ten made-up questions in the shape of the published file."""
    lines = []
    for number in range(10):
        texts = ("Nothing to see.", f"Number {number} is a town.", f"The town is Town{number}.")
        paragraphs = [
            {"idx": at, "title": f"Title {at}", "paragraph_text": text, "is_supporting": at > 0}
            for at, text in enumerate(texts)
        ]
        steps = [{"id": at, "question": "Which?", "answer": "It", "paragraph_support_idx": at} for at in (1, 2)]
        lines.append(
            {
                "id": f"2hop__{number}_{number}",
                "paragraphs": paragraphs,
                "question": f"Which town is it, {number}?",
                "question_decomposition": steps,
                "answer": f"Town{number}",
                "answer_aliases": [],
                "answerable": True,
            }
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def trickme(path: Path) -> None:
    """Two made-up questions in the shape of the published file."""
    clues = ["One of these towers is in a play.", "Many stand on rocks.", "For 10 points, name these towers."]
    text, offsets = " ".join(clues), []
    for clue in clues:
        begins = text.index(clue)
        offsets.append([begins, begins + len(clue)])
    common = {"text": text, "answer": "lighthouse", "tokenizations": offsets, "first_sentence": clues[0]}
    records = [
        {**common, "page": page, "qanta_id": at, "category": "Trash", "year": 1999, "fold": "adversarial"}
        for at, page in enumerate(("Lighthouse", "Beacon"))
    ]
    path.write_text(json.dumps(records))


def geonames(path: Path) -> None:
    """Three cities in the shape of the published archive."""
    rows = []
    for number, (name, code, latitude) in enumerate(
        [("Lima", "PE", -12.0), ("Oslo", "NO", 59.9), ("Rome", "IT", 41.9)]
    ):
        cells = [""] * 19
        cells[0], cells[1], cells[2], cells[4], cells[5] = str(number), name, name, str(latitude), "1.0"
        cells[6], cells[7], cells[8], cells[14] = "P", "PPLC", code, str(3_000_000 - number)
        rows.append("\t".join(cells))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cities15000.txt", "\n".join(rows))


def traces(path: Path) -> None:
    """Sixty questions at two depths, surer and more often right at the second."""
    lines = ["question_id,depth,confidence,correct"]
    for number in range(60):
        lines += [f"q{number},0,0.4,{number % 3 == 0}", f"q{number},1,0.9,{number % 6 != 0}"]
    path.write_text("\n".join(lines) + "\n")


PUBLISHED = {
    "hotpot_dev_distractor_v1.json": hotpotqa,
    "musique_ans_v1.0_dev.jsonl": musique,
    "ALL_final_buzzpoints_enc.zip": published_zip,
    "trick_me_questions.json": trickme,
    "cities15000.zip": geonames,
    "traces": traces,
}
"""Files that others publish: what stands in for each. And anyone's traces."""


@pytest.fixture(scope="session")
def published():
    return PUBLISHED
