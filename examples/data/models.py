# SPDX-License-Identifier: Apache-2.0
# Writes the models of the examples VerseOrder, ProverbsLora and DigitsResNet into this directory.
#
#     ./tutti export                                  # writes tutti_export.py
#     pip install torch==2.13.0 transformers==5.18.0 tokenizers==0.23.2
#     PYTHONPATH=. python examples/data/models.py
import pathlib

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from tutti_export import tutti_export

HERE = pathlib.Path(__file__).parent
VERSES = (HERE / "proverbs.txt").read_text().splitlines()


def verses():
    """A BERT without training, and a tokenizer."""
    to = HERE / "verse-bert"
    to.mkdir(exist_ok=True)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer.train_from_iterator(VERSES, trainers.WordPieceTrainer(vocab_size=600, special_tokens=special, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.enable_padding()
    tokenizer.enable_truncation(64)
    tokenizer.save(str(to / "tokenizer.json"))
    torch.manual_seed(1)
    bert = transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=600, hidden_size=40, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
        max_position_embeddings=64, type_vocab_size=1, num_labels=2))
    ids = torch.randint(4, 600, (4, 16))
    tutti_export(bert, {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor([0, 1, 1, 0])},
                 to / "model.pt2", sequence=("input_ids", "attention_mask"))


def proverbs():
    """A GPT-2 that has been trained on the first 600 verses, as `save_pretrained` writes it, and a tokenizer."""
    to = HERE / "proverbs-gpt"
    to.mkdir(exist_ok=True)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(VERSES, trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    tokenizer.save(str(to / "tokenizer.json"))
    text = torch.tensor(tokenizer.encode("\n".join(VERSES[:600])).ids)
    torch.manual_seed(1)
    gpt = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=400, n_embd=40, n_layer=2, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=0,
        resid_pdrop=0.0, attn_pdrop=0.0, embd_pdrop=0.0))
    optimizer = torch.optim.AdamW(gpt.parameters(), lr=3e-3)
    for step in range(600):
        window = torch.stack([text[at:at + 64] for at in torch.randint(0, len(text) - 64, (16,))])
        optimizer.zero_grad()
        gpt(input_ids=window, labels=window).loss.backward()
        optimizer.step()
    gpt.save_pretrained(to)
    window = window[:4, :16]
    tutti_export(gpt, {"input_ids": window, "labels": window}, to / "model.pt2", sequence=("input_ids", "labels"))


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

    def forward(self, x):
        y = torch.relu(self.norm1(self.first(x)))
        return torch.relu(x + self.norm2(self.second(y)))


class ResNet(nn.Module):
    """Returns scores; the loss is computed in Java."""
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(Block(16), nn.MaxPool2d(2), Block(16))
        self.digits = nn.Linear(16, 10)

    def forward(self, images):
        x = self.blocks(torch.relu(self.norm(self.stem(images))))
        return self.digits(x.mean((2, 3)))


def digits():
    torch.manual_seed(1)
    tutti_export(ResNet(), {"images": torch.rand(4, 1, 8, 8)}, HERE / "digits-resnet.pt2")


if __name__ == "__main__":
    torch.set_num_threads(1)
    verses()
    proverbs()
    digits()
