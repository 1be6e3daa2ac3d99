"""The dataset card of a release, from its provenance and the template in `release/card.md`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hinterguesser.derive.keep import MEANINGS
from hinterguesser.domain.prompts import PromptBook
from hinterguesser.store.assets import asset_folder
from hinterguesser.store.configs import REJECTED, family
from hinterguesser.store.licences import card_lines
from hinterguesser.store.textfiles import read_text

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_NO_DIALOGUE = "a record of the source that cannot be used"
_GEONAMES = "City figures come from [GeoNames](https://www.geonames.org/) (CC BY 4.0), cut into bands."

_FROM_ELSEWHERE = """\
`grace` and `trickme` hold questions of other authors, who state no licence. Their rows are not redistributed; make them
locally, from the published files:

```
hinterguesser adapt grace PATH --out runs/grace --password
hinterguesser adapt trickme PATH --out runs/trickme
hinterguesser build runs/grace runs/trickme --out my-release
```"""


def render_card(provenance: Mapping[str, Any], other_configs: Sequence[Mapping[str, Any]] = ()) -> str:
    """The card, as text.

    Args:
        provenance: of the release.
        other_configs: entries about further datasets of the same repository, to stand in the metadata as they are.
    """
    configs: dict[str, dict[str, Any]] = provenance["configs"]
    kept = {name: held for name, held in configs.items() if not name.endswith(REJECTED)}
    own = [held["licence"] for held in configs.values() if held["licence"] is not None]
    template = PromptBook({"card": read_text(asset_folder("release") / "card.md")})
    return template.render(
        "card",
        licence=card_lines(provenance["licence"] if own else None),
        size=_size(sum(held["dialogues"] for held in configs.values())),
        configs="\n".join([*(_data_files(name, held) for name, held in configs.items()), *_dumped(other_configs)]),
        version=provenance["version"],
        program=provenance["hinterguesser"],
        example=next(iter(kept)),
        table="\n".join(row for name, held in kept.items() for row in _rows(name, held)),
        splits=_splits(provenance["splits"]),
        rejected=_rejections(configs),
        made="\n".join(f"- {made(record)}" for record in provenance["runs"]),
        prompts=_prompts(provenance["runs"]),
        licences=_licences(kept, provenance),
    )


def _size(dialogues: int) -> str:
    return next((name for limit, name in _SIZES if dialogues < limit), "n>1M")


def _data_files(name: str, held: Mapping[str, Any]) -> str:
    parts = (f"  - split: {split}\n    path: data/{name}/{split}-*.parquet" for split in held["splits"])
    return "\n".join([f'- config_name: "{name}"\n  data_files:', *parts])


def _dumped(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    import yaml

    if not entries:
        return []
    return [yaml.safe_dump([dict(entry) for entry in entries], sort_keys=False, allow_unicode=True).rstrip("\n")]


def configs_in_card(card: str) -> list[dict[str, Any]]:
    """The entries under `configs` of a card's metadata; none when it has none that can be read."""
    import yaml

    found = re.match(r"\ufeff?---\r?\n(.*?)\r?\n---", card, re.DOTALL)
    try:
        plain = yaml.safe_load(found[1]) if found else None
    except yaml.YAMLError:
        return []
    entries = plain.get("configs") if isinstance(plain, dict) else None
    return [entry for entry in entries or [] if isinstance(entry, dict) and isinstance(entry.get("config_name"), str)]


def _rows(name: str, held: Mapping[str, Any]) -> Iterator[str]:
    lengths = held["lengths"]
    spread = f"{lengths['least']} / {lengths['median']} / {lengths['most']}"
    for split, part in held["splits"].items():
        mean = part["turns"] / part["dialogues"] if part["dialogues"] else 0
        counts = f"{part['dialogues']:,} | {part['entities']:,} | {part['turns']:,} | {mean:.1f}"
        named = f"`{name}` (version {held['version']})" if "version" in held else f"`{name}`"
        yield f"| {named} | `{split}` | {counts} | {spread} | {_licence(held)} |"


def _licence(held: Mapping[str, Any]) -> str:
    return str(held["licence"] or "none stated")


def _splits(shares: Mapping[str, float]) -> str:
    if len(shares) == 1:
        return "All dialogues are in the split `test`."
    told = ", ".join(f"`{name}` {share:.3g}" for name, share in shares.items())
    return (
        f"Splits (shares of the entities: {told}) are drawn by a hash of the entity's name: all dialogues about an "
        "entity are in one split, in every config and in every version."
    )


def _rejections(configs: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        f"| `{family(name)}` | `{reason}` | {count:,} | {MEANINGS.get(reason, _NO_DIALOGUE)} |"
        for name, held in configs.items()
        for reason, count in held["reasons"].items()
    ]
    if not rows:
        return "Nothing was filtered out."
    table = "\n".join(["| dataset | reason | dialogues | meaning |", "| --- | --- | ---: | --- |", *rows])
    return f"{table}\n\nThe rows are in the configs that end in `{REJECTED}`."


def made(record: Mapping[str, Any]) -> str:
    """One line about how a run was made."""
    asked = record["asked"]
    derived = record.get("derived")
    if record["command"] == "adapt":
        line = f"`{asked['source']}`: taken from {asked['origin']}; a clue is a {asked['granularity']}"
        return f"{line}; summaries by `{derived['model'] or 'template'}`" if derived else line
    line = (
        f"`{asked.get('game')}`: Hinter `{asked.get('hinter')}`, Guesser `{asked.get('guesser')}`, "
        f"seed {asked.get('seed')}"
    )
    if derived:
        made_of = record.get("derived_made", {})
        kinds = ", ".join(f"{count} `{kind}`" for kind, count in made_of.get("placebos", {}).items()) or "none"
        summaries = f"{made_of.get('summaries', 0)} of {made_of.get('turns', 0)} turns"
        line += f"; placebos: {kinds}; summaries by `{derived['model'] or 'template'}` for {summaries}"
    return line


def _prompts(records: list[Mapping[str, Any]]) -> str:
    hashes = {
        (key.removeprefix("prompt "), str(digest)[:16])
        for record in records
        for part in (record["asked"], record.get("derived") or {})
        for key, digest in part.items()
        if key.startswith("prompt ")
    }
    return ", ".join(f"`{name}` {digest}" for name, digest in sorted(hashes)) or "none"


def _licences(kept: Mapping[str, Mapping[str, Any]], provenance: Mapping[str, Any]) -> str:
    own = any(held["licence"] is not None for held in kept.values())
    parts = [f"The dialogues made for this release: {provenance['licence']}."] if own else []
    if "guess" in kept:
        parts.append(_GEONAMES)
    for name, held in kept.items():
        if held["licence"] is None:
            parts.append(f"`{name}`: its source states no licence; do not share these rows further.")
    if not {"grace", "trickme"} <= kept.keys():
        parts += ["", _FROM_ELSEWHERE]
    return "\n".join(parts)
