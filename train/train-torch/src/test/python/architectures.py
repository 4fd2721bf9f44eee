# Small models with random weights, to compare Tutti with PyTorch. For each model, the script writes NAME.pt2, the
# exported program, and NAME.safetensors, PyTorch's results:
#
#     pip install torch==2.13.0 transformers==5.18.0 safetensors==0.8.0
#     cd train/train-torch/src/test/python && python3 architectures.py DIR [NAME...]
#
# Architectures.java compares a directory of these files with GraphModel. NAME.safetensors contains
#     in.*       the inputs by name; if the loss is not an output of the program, also target, the classes
#     out.*      the outputs by name, or by number from 0
#     grad.*     the gradients of the loss, by parameter; a tied weight has the first name
#     buffer.*   the buffers after this step
#     eval.*     the outputs after model.eval(), before this step
#     loss.N     the loss at step N, from 0, of a training with these inputs; loss2.N on 2 ranks, each with half of the
#                samples
# The metadata contains the optimizer, SGD or AdamW, the learning rate, and the seed of manual_seed before each forward
# pass in train mode. Other options have PyTorch's defaults.
import copy
import sys
from pathlib import Path

import torch
import transformers as hf
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torch.utils._pytree import tree_map

ROOT = Path(__file__).parents[5]
sys.path.insert(0, str(ROOT / "tools/cli/src/main/resources/org/tutti/cli/export"))
from tutti_export import tutti_export  # noqa: E402

STEPS, SAMPLES, CLASSES, WORDS, SEED = 50, 4, 3, 60, 7
MODELS = {}


def model(rate=1e-3, optimizer="AdamW", sequence=(), is_double=False):
    """Registers a function that returns a model, inputs, and the target of a loss outside of the model, or None."""

    def register(function):
        MODELS[function.__name__] = (function, rate, optimizer, sequence, is_double)
        return function

    return register


def words(length=8, samples=SAMPLES):
    return torch.randint(3, WORDS, (samples, length))


def pictures(size=32, samples=SAMPLES):
    return torch.randn(samples, 3, size, size)


def classes(samples=SAMPLES):
    return torch.arange(samples) % CLASSES


class Classifier(nn.Module):
    """Layers with the loss as an output."""

    def __init__(self, *layers):
        super().__init__()
        self.net = nn.Sequential(*layers)

    def forward(self, x, labels):
        logits = self.net(x)
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


class Scaled(nn.Module):
    """Has a non-persistent buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0), persistent=False)

    def forward(self, x):
        return x * self.scale + 1


def perceptron(dropout):
    net = Classifier(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), Scaled(), nn.Dropout(dropout), nn.Linear(16, CLASSES))
    return net, {"x": torch.randn(12, 8), "labels": classes(12)}, None


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
            logits = self.out(hidden.mean(1))
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


@model(rate=0.05, optimizer="SGD", is_double=True)  # in F32, 1e-7 of the weights changes a loss by 0.004
def resnet():
    """The blocks of ResNet-18, with fewer channels."""
    widths = [6, 8, 12, 16]
    layers = [nn.Conv2d(3, 6, 3, 1, 1, bias=False), nn.BatchNorm2d(6), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    for i, width in enumerate(widths):
        layers += [Residual(widths[max(i - 1, 0)], width, 2 if i in (1, 2) else 1 if i == 0 else 2),
                   Residual(width, width, 1)]
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, CLASSES))
    return net, {"input": pictures()}, classes()


@model()
def swin():
    config = hf.SwinConfig(image_size=16, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4,
                           mlp_ratio=2.0, drop_path_rate=0.0, num_labels=CLASSES, **NO_DROPOUT)
    return hf.SwinForImageClassification(config), {"pixel_values": pictures(16), "labels": classes()}, None


@model(sequence=SENTENCES)
def roberta():
    return encoder(hf.RobertaConfig, hf.RobertaForSequenceClassification, pad_token_id=0)


@model(sequence=SENTENCES)
def distilbert():
    config = hf.DistilBertConfig(vocab_size=WORDS, dim=16, n_layers=2, n_heads=2, hidden_dim=32, dropout=0.0, num_labels=CLASSES,
                                 attention_dropout=0.0, seq_classif_dropout=0.0, max_position_embeddings=32)
    return hf.DistilBertForSequenceClassification(config), sentences(), None


@model(sequence=SENTENCES)
def albert():
    return encoder(hf.AlbertConfig, hf.AlbertForSequenceClassification, embedding_size=8, classifier_dropout_prob=0.0)


@model(sequence=DECODED)
def gpt_neox():
    return decoder(hf.GPTNeoXConfig, hf.GPTNeoXForCausalLM)


@model(sequence=DECODED)
def qwen3():
    return decoder(hf.Qwen3Config, hf.Qwen3ForCausalLM, num_key_value_heads=1, head_dim=8, tie_word_embeddings=True)


@model(sequence=DECODED)
def gemma2():
    return decoder(hf.Gemma2Config, hf.Gemma2ForCausalLM, num_key_value_heads=1, head_dim=8, sliding_window=4,
                   query_pre_attn_scalar=8)


@model(sequence=DECODED)
def mistral():
    return decoder(hf.MistralConfig, hf.MistralForCausalLM, num_key_value_heads=1, sliding_window=4)


@model()
def mamba():
    config = hf.MambaConfig(vocab_size=WORDS, hidden_size=16, state_size=4, num_hidden_layers=2, conv_kernel=3, **TOKENS)
    ids = words()
    return hf.MambaForCausalLM(config), {"input_ids": ids, "labels": ids.clone()}, None


SEQ2SEQ = dict(vocab_size=WORDS, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
               decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, dropout=0.0, decoder_start_token_id=1,
               **TOKENS)


@model(sequence={"input_ids": "source", "attention_mask": "source", "labels": "target"})
def bart():
    config = hf.BartConfig(max_position_embeddings=32, forced_eos_token_id=2, encoder_layerdrop=0.1, **SEQ2SEQ)
    return hf.BartForConditionalGeneration(config), {**sentences(labels=False), "labels": words(6)}, None


@model(sequence=("labels",))
def whisper():
    config = hf.WhisperConfig(num_mel_bins=8, max_source_positions=16, max_target_positions=16, **SEQ2SEQ)
    return (hf.WhisperForConditionalGeneration(config),
            {"input_features": torch.randn(SAMPLES, 8, 32), "labels": words(6)}, None)


@model()
def wav2vec2():
    config = hf.Wav2Vec2Config(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, num_labels=CLASSES,
                               conv_dim=(8, 8), conv_stride=(4, 2), conv_kernel=(8, 4), num_feat_extract_layers=2,
                               num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, hidden_dropout=0.0,
                               activation_dropout=0.0, attention_dropout=0.0, feat_proj_dropout=0.0, final_dropout=0.0,
                               apply_spec_augment=False, layerdrop=0.1, classifier_proj_size=8)
    return (hf.Wav2Vec2ForSequenceClassification(config),
            {"input_values": torch.randn(SAMPLES, 200), "labels": classes()}, None)


PATCHES = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)


@model()
def vit():
    config = hf.ViTConfig(image_size=16, patch_size=4, num_labels=CLASSES, **PATCHES, **NO_DROPOUT)
    return hf.ViTForImageClassification(config), {"pixel_values": pictures(16), "labels": classes()}, None


@model()
def segformer():
    config = hf.SegformerConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16], decoder_hidden_size=16,
                                patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
                                drop_path_rate=0.0, classifier_dropout_prob=0.0, num_labels=CLASSES, **NO_DROPOUT)
    labels = torch.randint(0, CLASSES, (SAMPLES, 32, 32))
    return hf.SegformerForSemanticSegmentation(config), {"pixel_values": pictures(), "labels": labels}, None


@model()
def convnext():
    config = hf.ConvNextConfig(num_stages=2, depths=[2, 2], hidden_sizes=[8, 16], num_labels=CLASSES)
    return hf.ConvNextForImageClassification(config), {"pixel_values": pictures(), "labels": classes()}, None


@model()
def clip():
    """Compares each text with each image. The loss of CLIPModel requires a fixed number of samples."""

    class Pairs(nn.Module):
        def __init__(self):
            super().__init__()
            text = dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                        max_position_embeddings=16, **TOKENS)
            vision = dict(image_size=16, patch_size=4, **PATCHES)
            self.net = hf.CLIPModel(hf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))

        def forward(self, input_ids, pixel_values):
            logits = self.net(input_ids=input_ids, pixel_values=pixel_values).logits_per_text
            pairs = torch.arange(logits.shape[0], device=logits.device)
            return (F.cross_entropy(logits, pairs) + F.cross_entropy(logits.t(), pairs)) / 2, logits

    ids = words()
    ids[:, -1] = 2
    return Pairs(), {"input_ids": ids, "pixel_values": pictures(16)}, None


@model()
def yolos():
    """A loss of classes and boxes without matching."""

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            config = hf.YolosConfig(image_size=[16, 16], patch_size=4, num_detection_tokens=3, num_labels=CLASSES, **PATCHES,
                                    **NO_DROPOUT)
            self.net = hf.YolosForObjectDetection(config)

        def forward(self, pixel_values, labels, boxes):
            out = self.net(pixel_values)
            loss = F.cross_entropy(out.logits.transpose(1, 2), labels) + F.l1_loss(out.pred_boxes, boxes)
            return {"loss": loss, "logits": out.logits, "boxes": out.pred_boxes}

    inputs = {"pixel_values": pictures(16), "labels": torch.randint(0, CLASSES, (SAMPLES, 3)),
              "boxes": torch.rand(SAMPLES, 3, 4)}
    return Detector(), inputs, None


def convolution(channels, out, kernel=3, stride=1, groups=1, activation=nn.ReLU):
    return nn.Sequential(nn.Conv2d(channels, out, kernel, stride, kernel // 2, groups=groups, bias=False),
                         nn.BatchNorm2d(out), activation())


@model(rate=0.05, optimizer="SGD")
def densenet():
    class Dense(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.layers = nn.ModuleList(
                nn.Sequential(nn.BatchNorm2d(c), nn.ReLU(), nn.Conv2d(c, 8, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
                              nn.Conv2d(8, 4, 3, padding=1, bias=False)) for c in (channels, channels + 4, channels + 8))

        def forward(self, x):
            for layer in self.layers:
                x = torch.cat([x, layer(x)], 1)
            return x

    return nn.Sequential(
        convolution(3, 8), nn.MaxPool2d(2), Dense(8), convolution(20, 10, 1), nn.AvgPool2d(2), Dense(10),
        nn.BatchNorm2d(22), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(22, CLASSES)), {"input": pictures()}, classes()


class Inverted(nn.Module):
    """The block of MobileNetV3 and EfficientNet: expansion, depthwise, squeeze-and-excitation, projection."""

    def __init__(self, channels, out, stride, activation, gate):
        super().__init__()
        wide = 3 * channels
        self.expand = convolution(channels, wide, 1, activation=activation)
        self.depthwise = convolution(wide, wide, 3, stride, wide, activation)
        self.weights = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, channels, 1), activation(),
                                     nn.Conv2d(channels, wide, 1), gate())
        self.project = convolution(wide, out, 1, activation=nn.Identity)

    def forward(self, x):
        y = self.depthwise(self.expand(x))
        y = self.project(y * self.weights(y))
        return x + y if x.shape == y.shape else y


def inverted(activation, gate):
    net = nn.Sequential(
        convolution(3, 8, 3, 2, activation=activation), Inverted(8, 8, 1, activation, gate),
        Inverted(8, 12, 2, activation, gate), Inverted(12, 12, 1, activation, gate),
        convolution(12, 24, 1, activation=activation), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0),
        nn.Linear(24, CLASSES))
    return net, {"input": pictures()}, classes()


@model(rate=0.05, optimizer="SGD")
def mobilenet_v3():
    return inverted(nn.Hardswish, nn.Hardsigmoid)


@model(rate=0.05, optimizer="SGD")
def efficientnet():
    return inverted(nn.SiLU, nn.Sigmoid)


@model(rate=0.02, optimizer="SGD")
def unet():
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.deep = convolution(3, 6), convolution(6, 8), convolution(8, 12)
            self.up2, self.up1 = nn.ConvTranspose2d(12, 8, 2, 2), nn.Upsample(scale_factor=2, mode="bilinear")
            self.join2, self.join1, self.out = convolution(16, 8), convolution(14, 6), nn.Conv2d(6, CLASSES, 1)

        def forward(self, pictures, labels):
            one = self.first(pictures)
            two = self.second(F.max_pool2d(one, 2))
            x = self.up2(self.deep(F.max_pool2d(two, 2)))
            x = self.up1(self.join2(torch.cat([x, two], 1)))
            logits = self.out(self.join1(torch.cat([x, one], 1)))
            return F.cross_entropy(logits, labels), logits

    return UNet(), {"pictures": pictures(16), "labels": torch.randint(0, CLASSES, (SAMPLES, 16, 16))}, None


@model()
def branches():
    """A branch on a value, a nested input, and a part in BF16."""

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden, self.out = nn.Linear(8, 12), nn.Linear(12, CLASSES)

        def forward(self, data, labels):
            x, weights = data["x"], data["weights"]
            hidden = torch.cond(x.sum() > 0, lambda v: torch.tanh(self.hidden(v)), lambda v: torch.relu(self.hidden(v)), (x,))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = self.out(hidden).float()
            with torch.no_grad():
                scale = weights / weights.sum()
            return {"loss": (F.cross_entropy(logits, labels, reduction="none") * scale).sum(), "logits": logits}

    x = torch.randn(SAMPLES, 8)
    return Branches(), {"data": {"x": x, "weights": torch.rand(SAMPLES)}, "labels": classes()}, None


def loss_of(outputs, target):
    if target is None:
        return outputs["loss"] if isinstance(outputs, dict) else outputs[0]
    return F.cross_entropy(outputs["logits"] if isinstance(outputs, dict) else outputs, target)


def named(outputs):
    """The outputs by name or number; the names of nested outputs have dots."""
    if torch.is_tensor(outputs):
        return {"0": outputs}
    found = {}
    for name, value in (outputs.items() if isinstance(outputs, dict) else enumerate(outputs)):
        if torch.is_tensor(value):
            found[str(name)] = value
        elif isinstance(value, (dict, tuple, list)):
            found.update({f"{name}.{inner}": tensor for inner, tensor in named(value).items()})
    return found


def half(value, i):
    return value.chunk(2)[i] if torch.is_tensor(value) else value


def losses(net, inputs, target, optimizer, rate, ranks):
    net = copy.deepcopy(net)
    trained = [p for p in net.parameters() if p.requires_grad]
    optimizer = getattr(torch.optim, optimizer)(trained, lr=rate)
    parts = [(inputs, target)]
    if ranks == 2:
        parts = [(tree_map(lambda value: half(value, i), inputs), half(target, i)) for i in range(2)]
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
    function, rate, optimizer, sequence, is_double = MODELS[name]
    torch.manual_seed(SEED)
    net, inputs, target = function()
    if is_double:
        net = net.double()
        inputs = tree_map(lambda value: value.double() if value.is_floating_point() else value, inputs)
    program = tutti_export(net, inputs, str(folder / f"{name}.pt2"), sequence)
    figures = {f"in.{n}": value for n, value in named(inputs).items()}
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
