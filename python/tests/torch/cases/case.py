from dataclasses import dataclass, field

import torch


@dataclass
class Case:
    """A module, its two rewrites, and the shapes of its inputs (or tensors)."""

    name: str
    module: object
    right: object
    wrong: object
    inputs: list
    differs: str
    ranges: dict = field(default_factory=dict)
    strengths: tuple = ("proved", "agreed", "proved for all sizes")

    def tensors(self):
        generator = torch.Generator().manual_seed(5)
        return [torch.randn(entry, generator=generator) if isinstance(entry, tuple) else entry for entry in self.inputs]

    def __repr__(self):
        return self.name


def seeded(module, seed=3):
    """A module with parameters and buffers that are nowhere equal by chance."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in list(module.named_parameters()) + list(module.named_buffers()):
            if tensor.dtype.is_floating_point:
                tensor.copy_(torch.rand(tensor.shape, generator=generator) + (0.5 if name.endswith("var") else -0.4))
    return module.eval()
