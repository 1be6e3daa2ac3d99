"""p_true: is the answer correct? P('True') (Kadavath et al., 2022; the paper's section 3.4)."""

from functools import partial

from hinterguesser.confidence.base import Method
from hinterguesser.confidence.labels import probe

PLUGIN = Method(name="p_true", estimate=partial(probe, name="p_true"), needs_logprobs=True)
