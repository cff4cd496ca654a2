"""Reads questions with two answers each.

A block of a file is a question, three lines that answer it in one way (a), three that answer it in another way (b)
so that no a can be followed together with a b, and lines about the same matter that agree with all of them (n).
"""

import dataclasses
import itertools


@dataclasses.dataclass
class Question:
    answers: tuple[list[str], list[str]]
    near: list[str]

    def conflicts(self):
        return list(itertools.product(*self.answers))

    def agreements(self):
        return [pair for side in self.answers for pair in itertools.combinations(side, 2)]

    def near_misses(self):
        return list(itertools.product(self.answers[0] + self.answers[1], self.near))

    def lines(self):
        return self.answers[0] + self.answers[1] + self.near


def read(folder):
    """The questions in the text files of a folder."""
    return [
        question_in(block)
        for file in sorted(folder.glob("*.txt"))
        for block in file.read_text().strip().split("\n\n")
    ]


def question_in(block):
    lines = {"?": [], "a": [], "b": [], "n": []}
    for line in block.splitlines():
        kind, _, text = line.partition(" ")
        lines[kind].append(text)
    return Question((lines["a"], lines["b"]), lines["n"])
