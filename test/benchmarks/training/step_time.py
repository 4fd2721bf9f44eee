# The counterpart of StepTime.java with PyTorch's DistributedDataParallel over Gloo: the same model, batches and threads.
#
#     MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 RANK=0 WORLD_SIZE=2 python3 step_time.py --steps 300     and RANK=1
import argparse
import statistics
import time

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--bucket-mb", type=float, default=25)
options = parser.parse_args()

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
net = torch.nn.Sequential(
    torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)
)
model = net if size == 1 else torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=options.bucket_mb)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
torch.manual_seed(1 + rank)
x, y = torch.randn(64, 784), torch.randint(10, (64,))


def report(what, mine):
    median = torch.tensor([statistics.median(mine)], dtype=torch.float64)
    dist.all_reduce(median, op=dist.ReduceOp.MAX)
    if rank == 0:
        print(f"{what} {median.item():.4f}", flush=True)


steps = []
for i in range(-600, options.steps):
    dist.barrier()
    start = time.perf_counter()
    optimizer.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    if i >= 0:
        steps.append((time.perf_counter() - start) * 1e3)
report("step", steps)
for bytes in (1 << 10, 1 << 20, 64 << 20):
    if size > 1:
        data = torch.zeros(bytes // 4)
        times = []
        for i in range(-20, 20 if bytes > 1 << 20 else 200):
            dist.barrier()
            start = time.perf_counter()
            dist.all_reduce(data)
            if i >= 0:
                times.append((time.perf_counter() - start) * 1e3)
        report(f"allreduce-{bytes}", times)
dist.destroy_process_group()
