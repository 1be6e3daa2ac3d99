"""Permutation and rank tests over entities, and Holm's correction."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, permutation_test, wilcoxon

from hinterguesser.stats.significance import group_means, holm, sign_flip_test, wilcoxon_test


def exact_p(means: list[float]) -> float:
    """All sign patterns, from the definition."""
    sums = [abs(sum(s * m for s, m in zip(signs, means, strict=True))) for signs in product((-1, 1), repeat=len(means))]
    return sum(total >= abs(sum(means)) - 1e-9 for total in sums) / len(sums)


def holm_by_hand(p_values: list[float | None]) -> list[float | None]:
    tests = [p for p in p_values if p is not None]
    adjusted: list[float | None] = []
    for p in p_values:
        if p is None:
            adjusted.append(None)
            continue
        at_most = [min(1.0, q * sum(other >= q for other in tests)) for q in tests if q <= p]
        adjusted.append(max(at_most))
    return adjusted


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_with_few_entities_p_is_exact_ties_and_zeros_included(tenths: list[int]) -> None:
    means = [t / 10 for t in tenths]
    found = sign_flip_test(means, list(range(len(means))), np.random.default_rng(0))
    assert found == pytest.approx(exact_p(means), abs=1e-12)


def test_with_few_entities_p_agrees_with_scipy() -> None:
    means = np.random.default_rng(1).normal(0.4, 1, 10)
    expected = permutation_test(
        (means,),
        lambda x, axis: np.mean(x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    found = sign_flip_test(means, range(10), np.random.default_rng(0))
    assert found == pytest.approx(expected.pvalue, abs=1e-9)


def test_with_many_entities_drawn_patterns_come_near_the_exact_p() -> None:
    means = np.random.default_rng(2).normal(0.3, 1, 15)
    found = sign_flip_test(means, range(15), np.random.default_rng(0), permutations=40_000)
    assert found == pytest.approx(exact_p(means.tolist()), abs=0.01)


def test_a_drawn_p_is_never_0() -> None:
    found = sign_flip_test(np.ones(40), range(40), np.random.default_rng(0), permutations=999)
    assert found == pytest.approx(1 / 1000)


def test_dialogues_are_averaged_inside_their_entity_first() -> None:
    # Entity 4 has five dialogues; each entity has one vote.
    differences, entity = [0.1, 0.2, 0.3, 0.4, 0.5, -0.3], [4, 4, 4, 4, 4, 8]
    found = sign_flip_test(differences, entity, np.random.default_rng(0))
    assert found == pytest.approx(exact_p([0.3, -0.3]))
    assert group_means(differences, entity)[1] == pytest.approx([0.3, -0.3])


def test_p_does_not_depend_on_the_sign_or_the_order() -> None:
    means = np.random.default_rng(3).normal(0.2, 1, 11)
    ps = [
        sign_flip_test(values, entity, np.random.default_rng(0))
        for values, entity in [
            (means, np.arange(11)),
            (-means, np.arange(11)),
            (means[::-1], np.arange(11)[::-1]),
        ]
    ]
    assert ps == pytest.approx([ps[0]] * 3, abs=1e-12)


def test_no_differences_give_no_p_and_no_change_gives_1() -> None:
    rng = np.random.default_rng(0)
    assert (sign_flip_test([], [], rng), wilcoxon_test([], [])) == (None, None)
    assert (sign_flip_test([0.0] * 3, [1, 2, 3], rng), wilcoxon_test([0.0] * 3, [1, 2, 3])) == (1.0, None)


@pytest.mark.parametrize(("entities", "digits"), [(8, 6), (30, 6), (30, 1), (90, 1)])
def test_wilcoxon_is_scipys_on_entity_means(entities: int, digits: int) -> None:
    rng = np.random.default_rng(entities)
    means = np.round(rng.normal(0.1, 0.3, entities), digits)
    doubled = np.concatenate([means + 0.05, means - 0.05])
    found = wilcoxon_test(doubled, np.tile(np.arange(entities), 2))
    assert found == pytest.approx(wilcoxon(means[means != 0]).pvalue, abs=1e-9)


def test_noise_of_the_last_bit_is_neither_a_change_nor_a_broken_tie() -> None:
    differences = np.array([0.3 - 0.2, 0.8 - 0.7, 0.9 - 0.8, 0.1 + 0.2 - 0.3])
    assert len(set(differences.tolist())) > 2
    assert wilcoxon_test(differences, range(4)) == pytest.approx(wilcoxon([0.1, 0.1, 0.1]).pvalue, abs=1e-12)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_agrees_with_a_loop(p_values: list[float | None]) -> None:
    for found, expected in zip(holm(p_values), holm_by_hand(p_values), strict=True):
        assert (found is None) == (expected is None)
        assert found is None or found == pytest.approx(expected, abs=1e-12)


def test_holm_worked_by_hand() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == pytest.approx([0.03, None, 0.06, 0.06])


def test_holm_is_never_below_the_rate_of_false_discoveries() -> None:
    p_values = np.random.default_rng(0).random(30) ** 3
    assert np.all(np.array(holm(p_values.tolist()), dtype=float) >= false_discovery_control(p_values) - 1e-12)


def test_a_p_value_outside_0_and_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"p-value 1 is 1\.5"):
        holm([0.2, 1.5])


def test_no_permutations_are_refused() -> None:
    with pytest.raises(ValueError, match="permutations"):
        sign_flip_test([0.1], [1], np.random.default_rng(0), permutations=0)
