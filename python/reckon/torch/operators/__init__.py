"""The rules of operators: from a node to the text of its element. `RULES` has all of them by ATen name."""

from . import elementwise, products, reductions, shapes, windows

FAMILIES = {
    "element by element": elementwise.RULES,
    "reductions": reductions.RULES,
    "shapes": shapes.RULES,
    "products": products.RULES,
    "windows": windows.RULES,
}
RULES = {name: rule for family in FAMILIES.values() for name, rule in family.items()}
