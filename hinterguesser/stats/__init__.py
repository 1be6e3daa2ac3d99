"""Statistics of confidence over turns: arrays in, numbers out.

Nothing here reads a file, a clock or global random state; randomness is a `numpy.random.Generator` that is
handed in. A statistic that does not exist is None, never NaN or 0. Unscored estimates are dropped by the
caller beforehand, who also reports their share.
"""
