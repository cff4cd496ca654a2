"""Makes the kinds of words that package scan reads: words with similar vectors, a kind in a line.

    python kinds.py --words all.vec --out kinds.txt
"""

import argparse
import collections
import pathlib

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from contrast import words_in

KINDS = 1500


def main():
    options = argparse.ArgumentParser()
    for name in ("words", "out"):
        options.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = options.parse_args()

    words, vectors = words_in(options.words)
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1)
    grouping = MiniBatchKMeans(KINDS, random_state=0, n_init=3, batch_size=4096, max_iter=200)
    of = grouping.fit(vectors / lengths).labels_

    kinds = collections.defaultdict(list)
    for word, kind in zip(words, of):
        kinds[kind].append(word)
    lines = sorted(" ".join(kind) for kind in kinds.values() if len(kind) > 1)
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
