"""p_sufficient: is what was said enough to single the answer out? P('sufficient') (the paper's section 3.4)."""

from functools import partial

from hinterguesser.confidence.base import Method
from hinterguesser.confidence.labels import probe

PLUGIN = Method(name="p_sufficient", estimate=partial(probe, name="p_sufficient"), needs_logprobs=True)
