# Writes schedules.txt with PyTorch (2.13.0 was used). PytorchValues reads it for the tests:
#
#     cd train/train/src/test/resources/pytorch && python3 write.py
#
# A line is a name, arguments as key=value, a colon and the values. Numbers are printed with enough digits for a
# double.
import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

lines = []


def line(name, arguments, values):
    keys = " ".join(f"{k}={v}" for k, v in arguments.items())
    lines.append(f"{name} {keys} : " + " ".join(repr(float(v)) for v in values))


def parameter():
    return torch.nn.Parameter(torch.zeros(1))


def one_cycle(**arguments):
    optimizer = SGD([parameter()], lr=1.0, momentum=0.5)
    schedule = OneCycleLR(optimizer, **arguments)
    rates, momenta = [], []
    for _ in range(arguments["total_steps"]):
        rates.append(optimizer.param_groups[0]["lr"])
        momenta.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        if len(rates) < arguments["total_steps"] or arguments.get("pct_start") != 1.0:  # PyTorch would divide by zero
            schedule.step()
    if arguments.get("pct_start") != 1.0:
        rates.append(optimizer.param_groups[0]["lr"])  # after the last step; PyTorch computes no later rate
        momenta.append(optimizer.param_groups[0]["momentum"])
    line("rate", arguments, rates)
    if arguments.get("cycle_momentum", True):
        line("momentum", arguments, momenta)


one_cycle(max_lr=0.1, total_steps=20)
one_cycle(max_lr=0.1, total_steps=7)
one_cycle(max_lr=3e-4, total_steps=1)
one_cycle(max_lr=3e-4, total_steps=2)
one_cycle(max_lr=0.1, total_steps=20, anneal_strategy="linear")
one_cycle(max_lr=0.1, total_steps=20, three_phase=True)
one_cycle(max_lr=0.1, total_steps=23, three_phase=True, pct_start=0.4, anneal_strategy="linear")
one_cycle(max_lr=0.1, total_steps=20, three_phase=True, pct_start=0.7)
one_cycle(max_lr=0.5, total_steps=15, pct_start=0.0)
one_cycle(max_lr=0.5, total_steps=15, pct_start=1.0)
one_cycle(max_lr=0.2, total_steps=30, pct_start=0.2, base_momentum=0.8, max_momentum=0.9, div_factor=10.0, final_div_factor=100.0)
one_cycle(max_lr=0.2, total_steps=10, pct_start=0.5, cycle_momentum=False)


def metrics():
    """A curve that falls, then varies by noise, then rises, and contains a NaN."""
    generator = torch.Generator().manual_seed(3)
    values = [2.0 * 0.8**i for i in range(8)]
    values += [float(v) for v in 0.34 + 0.01 * torch.rand(25, generator=generator, dtype=torch.float64)]
    values += [0.3, float("nan"), 0.25, 0.249999, 0.2499, 0.26, 0.27, 0.28, 0.29, 0.3, 0.31]
    return values


def plateau(**arguments):
    optimizer = SGD([{"params": [parameter()]}, {"params": [parameter()], "lr": 0.01}], lr=0.1)
    schedule = ReduceLROnPlateau(optimizer, **arguments)
    values = metrics()
    if arguments.get("mode") == "max":
        values = [1 - v for v in values]
    rates = [[], []]
    for value in values:
        schedule.step(value)
        for group, of in zip(optimizer.param_groups, rates):
            of.append(group["lr"])
    if "min_lr" in arguments:
        arguments["min_lr"] = ",".join(map(str, arguments["min_lr"]))
    line("head", arguments, rates[0])
    line("body", arguments, rates[1])


line("metrics", {}, metrics())
plateau()
plateau(patience=2)
plateau(patience=0, factor=0.5)
plateau(patience=2, cooldown=3)
plateau(patience=1, threshold=0.05)
plateau(patience=1, threshold=0.05, threshold_mode="abs")
plateau(patience=2, mode="max")
plateau(patience=2, mode="max", threshold_mode="abs", threshold=0.01)
plateau(patience=0, factor=0.5, min_lr=[0.02, 0.004])
plateau(patience=0, factor=0.5, eps=0.003)


def averaged(dtype, decay):
    """An average over ten versions of a parameter and a buffer; decay=None means equal weights, the default."""
    model = torch.nn.BatchNorm1d(5).to(dtype)
    generator = torch.Generator().manual_seed(11)
    function = None if decay is None else get_ema_multi_avg_fn(decay)
    average = AveragedModel(model, multi_avg_fn=function)
    buffers = AveragedModel(model, multi_avg_fn=function, use_buffers=True)
    versions = torch.randn(10, 5, generator=generator).to(dtype)
    for version in versions:
        with torch.no_grad():
            model.weight.copy_(version)
            model.running_mean.copy_(version * 2)
            model.num_batches_tracked += 1
        average.update_parameters(model)
        buffers.update_parameters(model)
    arguments = {"dtype": {torch.float32: "F32", torch.float64: "F64", torch.bfloat16: "BF16", torch.float16: "F16"}[dtype], "decay": decay}
    line("versions", arguments, versions.flatten().tolist())
    line("average", arguments, average.module.weight.tolist())
    line("mean", arguments, average.module.running_mean.tolist())
    line("mean_averaged", arguments, buffers.module.running_mean.tolist())


for decay in (0.999, 0.9, 0.3, 0.0, 1.0, None):
    averaged(torch.float32, decay)
for dtype in (torch.float64, torch.bfloat16, torch.float16):
    for decay in (0.9, 0.3, None):
        averaged(dtype, decay)

open("schedules.txt", "w").write("\n".join(lines) + "\n")
