import torch


class Config:
    scale = 2

    def __getattribute__(self, name):
        return super().__getattribute__(name)


config = Config()


@torch.compile(backend="eager")
def f(x):
    y = x * getattr(config, "scale", 1)
    return y + getattr(config, "offset", 1)


print(f(torch.ones(2)))
