# Writes trainings.txt, which ParameterGroupsTest reads, with PyTorch (2.13.0 was used):
#
#     cd train/train-torch/src/test/resources/pytorch && python3 write.py
#
# A line has the name of a training and all parameters after the training: the model's parameters, or the average.
import torch
from torch.optim import Adam, AdamW, RMSprop, SGD
from torch.optim.lr_scheduler import OneCycleLR, ReduceLROnPlateau
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

STEPS = 25
lines = []


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = torch.nn.Linear(4, 6, dtype=torch.float64), torch.nn.Linear(6, 3, dtype=torch.float64)
        with torch.no_grad():
            for i, parameter in enumerate(self.parameters()):
                parameter.copy_(torch.sin(i + 0.1 * torch.arange(parameter.numel(), dtype=torch.float64)).view_as(parameter))

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


X = torch.tensor([[0.7 * n + j for j in range(4)] for n in range(13)], dtype=torch.float64).sin()
Y = torch.tensor([n % 3 for n in range(13)])


def train(name, make, schedule):
    net = Net()
    optimizer = make([{"params": net.out.parameters()}, {"params": net.hidden.parameters(), "lr": 0.02, "weight_decay": 0.01}])
    rates = schedule(optimizer)
    ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(X), Y)
        loss.backward()
        optimizer.step()
        ema.update_parameters(net)
        if isinstance(rates, ReduceLROnPlateau):
            rates.step(loss.item())
        else:
            rates.step()
    for of, model in ((name, net), (name + ".averaged", ema.module)):
        lines.append(of + " " + " ".join(repr(v) for p in model.parameters() for v in p.flatten().tolist()))


def one_cycle(optimizer):
    return OneCycleLR(optimizer, max_lr=[0.5, 0.05], total_steps=STEPS)


def plateau(optimizer):
    return ReduceLROnPlateau(optimizer, factor=0.5, patience=1, threshold=0.05, min_lr=[0.01, 0.002])


train("SGD", lambda groups: SGD(groups, lr=0.1, momentum=0.5), one_cycle)
train("RMSprop", lambda groups: RMSprop(groups, lr=0.1, momentum=0.5), lambda o: OneCycleLR(o, max_lr=[0.02, 0.005], total_steps=STEPS))
train("Adam", lambda groups: Adam(groups, lr=0.1), one_cycle)
train("AdamW", lambda groups: AdamW(groups, lr=0.1, weight_decay=0.02), one_cycle)
train("SGD.plateau", lambda groups: SGD(groups, lr=0.5, momentum=0.9), plateau)

open("trainings.txt", "w").write("\n".join(lines) + "\n")
