"""The rules of operators: from a node to the text of its element. `RULES` has all of them by ATen name."""

from . import elementwise, products, reductions, shapes, windows

RULES = {**elementwise.RULES, **reductions.RULES, **shapes.RULES, **products.RULES, **windows.RULES}
