"""The first operation at which two computations part.

Both are lists of steps with values in float64, on the same inputs, which are without coincidences. A step of one side
has a counterpart if some step of the other has its value, in any order of its elements; or if all its elements occur
on the other side, as those of a slice or of a row do (but not for operators that choose among the elements of their
operands: of them the choice is what matters). Elements on which no output depends do not count. From the outputs that
differ, the steps without a counterpart are followed backwards: they end where values agree again, so that a part that
is only written in another way, and whose result agrees, is not in question. The first of these steps, in the order of
evaluation, has operands that all agree, and a value that the other side never has.

A candidate that is Reckon text computes much in one `let`. If its result becomes right when its own first such `let`
is given the value of a step of the module, then these two are meant to be the same, and the module's is the one to
name."""

from dataclasses import dataclass, field

import torch

TOLERANCE = 1e-9
MOST_REPAIRS = 64
MOVING = frozenset(
    """
    slice select split split_with_sizes unsafe_split unbind expand view permute transpose t cat stack repeat flip
    roll unfold _unsafe_view _reshape_alias squeeze unsqueeze _to_copy diagonal im2col
    """.split()
)


@dataclass
class FirstDifference:
    """`step` is the first operation of the module whose value the candidate does not have, `other` the candidate's
    first one that the module does not have; either may be absent. `repaired`: a step of the module; with its value in
    the place of `other`'s, the results agree. `relayout` names an operand whose counterpart has the same numbers in
    another order."""

    step: object = None
    other: object = None
    repaired: object = None
    relayout: str = ""
    region: list = field(default_factory=list)

    def __str__(self):
        lines = []
        if self.step is not None:
            lines.append(f"first operation that differs: {self.step.title}")
        if self.other is not None:
            lines.append(f"in the candidate: {self.other.title}")
        if self.repaired is not None:
            lines.append(
                f"with the module's `{self.repaired.name}` in the place of the candidate's `{self.other.name}`, "
                "the results agree"
            )
        if self.relayout:
            lines.append(f"the operand `{self.relayout}` has the candidate's numbers in another order")
        return "\n".join(lines)


def same(a, b):
    """Equal numbers in the same order, whatever the shape."""
    if a.numel() != b.numel():
        return False
    a, b = a.reshape(-1).double(), b.reshape(-1).double()
    finite = torch.isfinite(a)
    if not torch.equal(finite, torch.isfinite(b)):
        return False
    size = max(float(a[finite].abs().max()), 1e-30) if bool(finite.any()) else 1.0
    return bool(((a[finite] - b[finite]).abs() <= TOLERANCE * size).all())


def same_set(a, b):
    """Equal numbers in any order."""
    return a.numel() == b.numel() and same(a.reshape(-1).double().sort().values, b.reshape(-1).double().sort().values)


def counterparts(steps, others):
    """For every step, `exact`, `order` (the same numbers in another order), `part` (all its elements occur) or None."""
    sizes = {}
    others = others + [step for step in steps if step.given]
    for other in others:
        for value in other.values():
            sizes.setdefault(value.numel(), []).append(value)
    numbers = torch.cat([value.reshape(-1).double() for other in others for value in other.values()])
    numbers = numbers[torch.isfinite(numbers)].sort().values
    found = {}
    for step in steps:
        found[step] = counterpart(step, sizes, numbers)
        if found[step] == "part" and step.operator in MOVING and None in [found[operand] for operand in step.operands]:
            found[step] = None  # what was not found does not become known by being moved
    return found


def counterpart(step, sizes, numbers):
    if step.given:
        return "exact"
    near = [(value, other) for value in step.values() for other in sizes.get(value.numel(), [])]
    if any(same(value, other) for value, other in near):
        return "exact"
    if any(same_set(value, other) for value, other in near):
        return "order"
    if step.operator not in MOVING and (has_trivial(step.value) or chooses(step)):
        return None
    return "part" if any(contained(relevant_part(step, value), numbers) for value in step.values()) else None


def relevant_part(step, value):
    return value.reshape(-1) if step.relevant is None else value[step.relevant.reshape(value.shape)]


def has_trivial(value):
    """Whether elements occur that occur everywhere: 0, 1, infinities."""
    value = value.double()
    return bool((~torch.isfinite(value) | (value == 0) | (value == 1)).any())


def chooses(step):
    """Whether all elements are elements of the operands."""
    numbers = [operand.value.reshape(-1).double() for operand in step.operands if operand.value.numel()]
    if not numbers:
        return False
    numbers = torch.cat(numbers)
    return contained(step.value, numbers[torch.isfinite(numbers)].sort().values)


def contained(value, numbers):
    value = value.reshape(-1).double()
    if not numbers.numel() or not bool(torch.isfinite(value).all()):
        return False
    place = torch.searchsorted(numbers, value).clamp(max=numbers.numel() - 1)
    distance = torch.minimum((numbers[place] - value).abs(), (numbers[(place - 1).clamp(min=0)] - value).abs())
    return bool((distance <= TOLERANCE * value.abs() + 1e-14).all())


def region(outputs, matched):
    """The steps without a counterpart that a differing output depends on through such steps alone."""
    open_steps, seen = list(outputs), set()
    while open_steps:
        step = open_steps.pop()
        if step in seen or step.given:
            continue
        seen.add(step)
        open_steps += [operand for operand in step.operands if matched[operand] is None]
    return seen


def first_difference(ours, theirs):
    """Where two sides part."""
    left, right = counterparts(ours.steps, theirs.steps), counterparts(theirs.steps, ours.steps)
    differing = [k for k, (a, b) in enumerate(zip(ours.outputs, theirs.outputs)) if not same(a.value, b.value)]
    if not differing:
        return None
    mine = region([ours.outputs[k] for k in differing], left)
    others = region([theirs.outputs[k] for k in differing], right)
    first = first_number(step for step in ours.steps if step in mine)
    second = first_number(step for step in theirs.steps if step in others)
    remedy = counterpart_by_repair(ours, theirs, second, mine)
    if remedy is not None and second.operator == "let":
        first = remedy
    moved = next((operand.name for operand in (first.operands if first else []) if left[operand] == "order"), "")
    return FirstDifference(first, second, remedy, moved, [step for step in ours.steps if step in mine])


def first_number(steps):
    """The first step that is no condition: conditions may be written in many ways, and what they choose tells more."""
    steps = list(steps)
    return next((step for step in steps if step.value.dtype != torch.bool), steps[0] if steps else None)


def counterpart_by_repair(ours, theirs, step, choices):
    """The module's step whose value, in the place of the candidate's, makes all its results right."""
    if step is None or step in theirs.outputs:
        return None
    likely = [
        choice
        for choice in ours.steps
        if choice in choices and choice.value.numel() == step.value.numel() and choice.value.dtype == step.value.dtype
    ]
    results = theirs.repaired(step, [choice.value for choice in likely[:MOST_REPAIRS]])
    for choice, values in zip(likely, results):
        if all(same(output.value, value) for output, value in zip(ours.outputs, values)):
            return choice
    return None
