# Small models with random weights, which Tutti runs in the way that PyTorch does. For each model, the script writes
# NAME.pt2, the exported program, and NAME.safetensors, the figures of PyTorch:
#
#     pip install torch==2.13.0 transformers==5.18.0 safetensors==0.8.0
#     cd train/train-torch/src/test/python && python3 architectures.py DIR [NAME...]
#
# Architectures.java compares a directory of these files with GraphModel. NAME.safetensors contains
#     in.*       the inputs by name; target, the classes, if the loss is not an output of the program
#     out.*      the outputs by name, or by number from 0
#     grad.*     the gradients of the loss, by parameter; a tied weight has its first name
#     buffer.*   the buffers after this step
#     eval.*     the outputs after model.eval(), before this step
#     loss.N     the loss at step N, from 0, of a training with these inputs; loss2.N on 2 ranks, which have one half
#                of the samples each
# and as metadata the optimizer, SGD or AdamW, its learning rate, and the seed of manual_seed before each forward pass
# in train mode. Other options have PyTorch's defaults.
import copy
import math
import sys
from pathlib import Path

import torch
import transformers as hf
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

ROOT = Path(__file__).parents[5]
sys.path.insert(0, str(ROOT / "tools/cli/src/main/resources/org/tutti/cli/export"))
from tutti_export import tutti_export  # noqa: E402

STEPS, SAMPLES, CLASSES, WORDS, SEED = 50, 4, 3, 60, 7
MODELS = {}


def model(rate=1e-3, optimizer="AdamW", sequence=()):
    """Registers a function that returns a model, its inputs, and the target of a loss outside, or None."""

    def register(function):
        MODELS[function.__name__] = (function, rate, optimizer, sequence)
        return function

    return register


def words(length=8, samples=SAMPLES):
    return torch.randint(3, WORDS, (samples, length))


def classes(samples=SAMPLES):
    return torch.arange(samples) % CLASSES


class Classifier(nn.Module):
    """Layers whose loss is an output."""

    def __init__(self, *layers):
        super().__init__()
        self.net = nn.Sequential(*layers)

    def forward(self, x, labels):
        logits = self.net(x)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


class Scaled(nn.Module):
    """Has a buffer that is not in the state."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0), persistent=False)

    def forward(self, x):
        return x * self.scale + 1


def perceptron(dropout):
    net = Classifier(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), Scaled(), nn.Dropout(dropout), nn.Linear(16, CLASSES))
    return net, {"x": torch.randn(SAMPLES, 8), "labels": classes()}, None


@model()
def mlp():
    return perceptron(0.0)


@model()
def dropout():
    return perceptron(0.25)


@model()
def lstm():
    class Lstm(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(WORDS, 8)
            self.words.weight.requires_grad = False
            self.lstm = nn.LSTM(8, 12, num_layers=2, batch_first=True, bidirectional=True)
            self.out = nn.Linear(24, CLASSES)

        def forward(self, words, labels):
            hidden, _ = self.lstm(self.words(words))
            logits = self.out(hidden[:, -1])
            return F.cross_entropy(logits, labels), logits

    return Lstm(), {"words": words(), "labels": classes()}, None


SMALL = dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
             max_position_embeddings=32)
NO_DROPOUT = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
TOKENS = dict(bos_token_id=1, eos_token_id=2, pad_token_id=0)


def sentences(labels=True, **others):
    mask = torch.ones(SAMPLES, 8, dtype=torch.int64)
    mask[1, 5:] = 0
    inputs = {"input_ids": words(), "attention_mask": mask, **others}
    return {**inputs, "labels": classes()} if labels else inputs


def encoder(config, kind, **options):
    return kind(config(**{**SMALL, **NO_DROPOUT, "num_labels": CLASSES, **options})), sentences(), None


SENTENCES = ("input_ids", "attention_mask")


@model(sequence=SENTENCES)
def bert():
    return encoder(hf.BertConfig, hf.BertForSequenceClassification)


@model(sequence=SENTENCES)
def deberta():
    config = hf.DebertaV2Config(**SMALL, **NO_DROPOUT, num_labels=CLASSES, relative_attention=True, position_buckets=8,
                                pos_att_type=["p2c", "c2p"], pooler_hidden_size=16, pooler_dropout=0.0, cls_dropout=0.0)
    return hf.DebertaV2ForSequenceClassification(config), sentences(labels=False), classes()


def decoder(config, kind, **options):
    ids = words()
    return kind(config(**{**SMALL, **TOKENS, **options})), {"input_ids": ids, "labels": ids.clone()}, None


DECODED = ("input_ids", "labels")


@model(sequence=DECODED)
def gpt2():
    config = hf.GPT2Config(vocab_size=WORDS, n_embd=16, n_layer=2, n_head=2, n_positions=32, resid_pdrop=0.0,
                           embd_pdrop=0.0, attn_pdrop=0.0, **TOKENS)
    ids = words()
    return hf.GPT2LMHeadModel(config), {"input_ids": ids, "labels": ids.clone()}, None


@model(sequence=DECODED)
def llama():
    return decoder(hf.LlamaConfig, hf.LlamaForCausalLM, num_attention_heads=4, num_key_value_heads=2)


@model(sequence=DECODED)
def mixtral():
    return decoder(hf.MixtralConfig, hf.MixtralForCausalLM, num_key_value_heads=1, num_local_experts=3)


@model(sequence={"input_ids": "source", "attention_mask": "source", "labels": "target"})
def t5():
    config = hf.T5Config(vocab_size=WORDS, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, dropout_rate=0.0,
                         relative_attention_num_buckets=8, decoder_start_token_id=0, eos_token_id=2, pad_token_id=0)
    return hf.T5ForConditionalGeneration(config), {**sentences(labels=False), "labels": words(6)}, None


class Residual(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        if stride == 1:
            self.shortcut = nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x), inplace=True)


def pictures(size=16):
    return torch.randn(SAMPLES, 3, size, size)


@model(rate=0.05, optimizer="SGD")
def resnet():
    """The blocks of ResNet-18, with fewer channels."""
    widths = [6, 8, 12, 16]
    layers = [nn.Conv2d(3, 6, 3, 1, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    for i, width in enumerate(widths):
        layers += [Residual(widths[max(i - 1, 0)], width, 2 if i in (1, 2) else 1 if i == 0 else 2),
                   Residual(width, width, 1)]
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, CLASSES))
    return net, {"input": pictures(32)}, classes()


@model()
def swin():
    config = hf.SwinConfig(image_size=16, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4,
                           mlp_ratio=2.0, drop_path_rate=0.0, num_labels=CLASSES, **NO_DROPOUT)
    return hf.SwinForImageClassification(config), {"pixel_values": pictures(), "labels": classes()}, None


def loss_of(outputs, target):
    if target is None:
        return outputs["loss"] if isinstance(outputs, dict) else outputs[0]
    return F.cross_entropy(outputs["logits"] if isinstance(outputs, dict) else outputs, target)


def named(outputs):
    """The outputs by name or number, with dots where they are nested."""
    if torch.is_tensor(outputs):
        return {"0": outputs}
    found = {}
    for name, value in (outputs.items() if isinstance(outputs, dict) else enumerate(outputs)):
        if torch.is_tensor(value):
            found[str(name)] = value
        elif value is not None:
            found.update({f"{name}.{inner}": tensor for inner, tensor in named(value).items()})
    return found


def halves(value):
    return [value] if value.dim() == 0 else list(value.chunk(2))


def losses(net, inputs, target, optimizer, rate, ranks):
    net = copy.deepcopy(net)
    trained = [p for p in net.parameters() if p.requires_grad]
    optimizer = getattr(torch.optim, optimizer)(trained, lr=rate)
    parts = [(inputs, target)]
    if ranks == 2:
        parts = [({n: halves(v)[i] for n, v in inputs.items()}, None if target is None else halves(target)[i])
                 for i in range(2)]
    curve = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        total = 0.0
        for part, its_target in parts:
            torch.manual_seed(SEED)
            loss = loss_of(net(**part), its_target) / len(parts)
            loss.backward()
            total += loss.item()
        optimizer.step()
        curve.append(torch.tensor(total))
    return curve


def write(name, folder):
    """Writes both files, and returns a line of figures."""
    function, rate, optimizer, sequence = MODELS[name]
    torch.manual_seed(SEED)
    net, inputs, target = function()
    program = tutti_export(net, inputs, str(folder / f"{name}.pt2"), sequence)
    figures = {f"in.{n}": value for n, value in inputs.items()}
    if target is not None:
        figures["target"] = target

    evaluated = copy.deepcopy(net).eval()
    with torch.no_grad():
        figures.update({f"eval.{n}": v for n, v in named(evaluated(**inputs)).items()})
    trained = copy.deepcopy(net)
    torch.manual_seed(SEED)
    outputs = trained(**inputs)
    loss_of(outputs, target).backward()
    figures.update({f"out.{n}": v.detach() for n, v in named(outputs).items()})
    figures.update({f"grad.{n}": p.grad for n, p in trained.named_parameters() if p.grad is not None})
    figures.update({f"buffer.{n}": b for n, b in trained.named_buffers()})
    for ranks, prefix in ((1, "loss"), (2, "loss2")):
        curve = losses(net, inputs, target, optimizer, rate, ranks)
        figures.update({f"{prefix}.{i}": loss for i, loss in enumerate(curve)})
    metadata = {"optimizer": optimizer, "rate": str(rate), "seed": str(SEED), "torch": torch.__version__,
                "transformers": hf.__version__}
    figures = {n: v.contiguous().clone() for n, v in figures.items()}
    save_file(figures, folder / f"{name}.safetensors", metadata)
    nodes = sum(node.op == "call_function" for node in program.graph.nodes)
    return f"{name}: {nodes} nodes, loss {figures['loss.0']:.4f} to {figures[f'loss.{STEPS - 1}']:.4f}"


if __name__ == "__main__":
    torch.set_num_threads(1)
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[2:] or MODELS:
        print(write(each, directory), flush=True)
