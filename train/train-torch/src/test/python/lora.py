# Writes ../resources/org/tutti/train/torch/graph/lora: adapters trained by peft, for the programs of fixtures.py:
#
#     pip install torch==2.13.0 transformers==5.18.0 safetensors==0.8.0 peft==0.21.0
#     cd train/train-torch/src/test/python && python3 lora.py
#
# NAME/before and NAME/after are directories of peft's save_pretrained, before and after 20 steps with AdamW.
# NAME/losses.safetensors contains loss.0 to loss.19, and logits, the output of the merged model in evaluation.
# manual_seed is called before each forward pass. NAME/peft.pt2, where present, is the exported wrapped model.
import os
import shutil
import sys

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

from architectures import MODELS, SEED, tutti_export
from fixtures import RESOURCES, repack

STEPS, RATE = 20, 1e-3
CONFIGS = {
    "gpt2": dict(r=4, lora_alpha=16, target_modules=["c_attn", "c_proj"], fan_in_fan_out=True, task_type="CAUSAL_LM"),
    "llama": dict(r=8, lora_alpha=16, lora_dropout=0.1, target_modules=["q_proj", "v_proj"], use_rslora=True,
                  modules_to_save=["lm_head"]),
    "bert": dict(r=4, lora_alpha=8, target_modules=["query", "value"], rank_pattern={"layer.0.attention.self.query": 2},
                 alpha_pattern={"value": 4}, task_type="SEQ_CLS"),
}
EXPORTED = ["gpt2"]


def save(net, folder):
    net.save_pretrained(folder)
    os.remove(folder / "README.md")


def write(name):
    folder = RESOURCES / "lora" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    torch.manual_seed(SEED)
    net, inputs, _ = MODELS[name][0]()
    net = get_peft_model(net, LoraConfig(**CONFIGS[name])).train()
    save(net, folder / "before")
    if name in EXPORTED:
        tutti_export(net, inputs, str(folder / "peft.pt2"), MODELS[name][3])
        repack(folder / "peft.pt2")
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=RATE)
    figures = {}
    for step in range(STEPS):
        optimizer.zero_grad()
        torch.manual_seed(SEED)
        loss = net(**inputs).loss
        loss.backward()
        optimizer.step()
        figures[f"loss.{step}"] = loss.detach().clone()
    save(net, folder / "after")
    with torch.no_grad():
        figures["logits"] = net.merge_and_unload().eval()(**inputs).logits.clone()
    save_file(figures, folder / "losses.safetensors", {"rate": str(RATE), "seed": str(SEED)})
    return f"{name}: loss {figures['loss.0']:.4f} to {figures[f'loss.{STEPS - 1}']:.4f}"


if __name__ == "__main__":
    torch.set_num_threads(1)
    for each in sys.argv[1:] or CONFIGS:
        print(write(each))
