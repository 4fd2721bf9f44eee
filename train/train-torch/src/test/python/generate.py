# Writes ../resources/org/tutti/train/torch/graph/generate.safetensors, texts that transformers has generated with the
# models of fixtures.py:
#
#     pip install torch==2.13.0 transformers==5.18.0 safetensors==0.8.0
#     cd train/train-torch/src/test/python && python3 generate.py
#
# NAME.prompt and NAME.tokens are the prompt and the tokens of generate(do_sample=False) that follow; the weights of
# NAME.pt2 are multiplied by 8, so that tokens vary. logits are random, and "kept T K P" are their probabilities for
# temperature T, top-k K and top-p P.
import torch
import transformers as hf
from safetensors.torch import save_file

from architectures import MODELS, SEED
from fixtures import RESOURCES

FACTOR, TOKENS = 8, 20


def main():
    figures = {}
    for name in ("gpt2", "llama"):
        torch.manual_seed(SEED)
        net, inputs, _ = MODELS[name][0]()
        for parameter in net.parameters():
            parameter.data *= FACTOR
        prompt = inputs["input_ids"][:1]
        tokens = net.eval().generate(prompt, do_sample=False, max_new_tokens=TOKENS,
                                     attention_mask=torch.ones_like(prompt))
        figures[f"{name}.prompt"] = prompt[0].clone()
        figures[f"{name}.tokens"] = tokens[0, prompt.shape[1]:].clone()
        print(name, figures[f"{name}.tokens"].tolist())
    logits = torch.randn(1, 40) * 2
    logits[0, 7] = logits[0, 9]
    figures["logits"] = logits[0].clone()
    for temperature, top_k, top_p in ((1.0, 40, 1.0), (0.7, 10, 1.0), (1.5, 40, 0.8), (2.0, 15, 0.6), (0.1, 1, 0.1)):
        warped = hf.TemperatureLogitsWarper(temperature)(None, logits)
        warped = hf.TopKLogitsWarper(top_k)(None, warped)
        if top_p < 1:
            warped = hf.TopPLogitsWarper(top_p)(None, warped)
        figures[f"kept {temperature} {top_k} {top_p}"] = warped.softmax(-1)[0].double()
    save_file(figures, RESOURCES / "generate.safetensors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
