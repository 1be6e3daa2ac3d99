"""Made-up evaluations of any size, with names of any kind."""

import numpy as np

from hinterguesser.domain.prediction import Prediction
from hinterguesser.domain.predictions import Predictions
from hinterguesser.flow.metrics import MetricsSettings, summarise
from hinterguesser.flow.profiles import profiles
from hinterguesser.report.figures.catalogue import evaluation_figures

QUICK = MetricsSettings(resamples=20)

METHODS = (
    "vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient", "candidate_likelihood",
    "oracle_correct", "oracle_sufficient", "mine",
)  # fmt: skip

ODD_MODELS = (
    "a$b$c_{1}^2", "_under <b>bold</b> & \\frac{1}{2}", "line\nbreak\x1b[31m red\u202e turned",
    "hosted_vllm/an-organisation-with-a-long-name/A-Model-With-A-Very-Long-Name-70B-Instruct-v1.5",
)  # fmt: skip


def prediction(**fields):
    whole = {
        "dataset": "20q", "dialogue_id": "d1", "entity": "wolf", "turn": 1, "length": 2, "condition": "multi",
        "method": "p_true", "target": "answer", "model": "m", "answer": "wolf", "correct": True, "confidence": 0.5,
        "unscored_reason": None, "p_raw": None, "p_normalised": None, "label_mass": None,
    }  # fmt: skip
    return Prediction(**{**whole, **fields})


def evaluation(datasets=("20q",), models=("m",), methods=METHODS[:3], dialogues=3, length=4):
    """Rows of every condition and target; one in nine is unscored."""
    rng, rows = np.random.default_rng(0), []
    for dataset in datasets:
        for model in models:
            for method in methods:
                for number in range(dialogues):
                    for turn in range(1, length + 1):
                        for condition in ("multi", "placebo", "single"):
                            for target in ("answer", "gold"):
                                confidence = None if rng.random() < 1 / 9 else float(rng.random())
                                if method == "oracle_sufficient":
                                    confidence = float(turn == length)
                                rows.append(
                                    prediction(
                                        dataset=dataset, model=model, method=method, dialogue_id=f"d{number}",
                                        entity=f"e{number}", turn=turn, length=length, condition=condition,
                                        target=target, confidence=confidence, correct=bool(rng.random() < 0.5),
                                        unscored_reason=None if confidence is not None else "no number",
                                        label_mass=0.8 if method.startswith("p_") else None,
                                    )
                                )  # fmt: skip
    return rows


def figures(rows, settings=QUICK):
    """Every figure of these rows, by name."""
    predictions = Predictions.of(rows)
    made = evaluation_figures(summarise(predictions, settings), profiles(predictions, settings))
    return {figure.name: figure for figure in made}
