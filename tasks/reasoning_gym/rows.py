"""The questions: each family's generator, with its own settings and one seed. The package is the only source: the same release gives the same rows.

Left out are families whose scoring runs an answer as code (`eval` or a parser made of it: countdown, puzzle24, n_queens, spiral_matrix, binary_matrix,
string_insertion, number_sorting, the integrals, the polynomials), whose rows differ from process to process (word_ladder, codeio), that need much time, and
whose published answer their own scorer does not take for right (graph_color, rush_hour, boxnet, …).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

SEED = 42
PER_FAMILY = 10
FAMILIES = (
    *("ab", "acre", "aiw", "base_conversion", "basic_arithmetic", "binary_alternation", "caesar_cipher", "calendar_arithmetic"),
    *("chain_sum", "circuit_logic", "color_cube_rotation", "count_bits", "cryptarithm", "decimal_arithmetic", "family_relationships", "gcd"),
    *("group_anagrams", "gsm_symbolic", "jugs", "kakurasu", "knights_knaves", "largest_island", "lcm", "leg_counting"),
    *("letter_counting", "manipulate_matrix", "maze", "mini_sudoku", "needle_haystack", "number_sequence", "products", "rotate_matrix"),
    *("self_reference", "sentence_reordering", "shortest_path", "simple_equations", "sokoban", "string_manipulation", "tower_of_hanoi", "word_sorting"),
)


def rows() -> Iterator[dict[str, Any]]:
    """`id` (family and number), `family`, `question`, `answer`, and `metadata`, which the scorer reads. Families take turns."""
    import reasoning_gym

    made = {name: reasoning_gym.create_dataset(name, seed=SEED, size=PER_FAMILY) for name in FAMILIES}
    for i in range(PER_FAMILY):
        for name, data in made.items():
            entry = data[i]
            # as JSON, so that what is scored is what stands in the row
            metadata = json.loads(json.dumps(entry["metadata"]))
            yield {"id": f"{name}-{i}", "family": name, "question": entry["question"], "answer": entry["answer"], "metadata": metadata}
