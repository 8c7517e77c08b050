"""`check(...)`: is a rewritten or generated kernel the function that a module computes?"""

import time
from dataclasses import dataclass, field

import torch

from . import _session, rewritten, steps, witness
from .circuit import Circuit, parsed
from .differs import first_difference, same
from .dynamic import resized, sizes_of, symbolic
from .errors import ArgumentMistake
from .operators import RULES
from .trace import Pool, add_parameters, input_names, title_of, trace
from .writer import FORMATS

POSITIVE = ("running_var",)


@dataclass
class Verdict:
    """What a check found. `verdict` is `holds`, `fails` or `undecided`, and speaks about the reals, at the sizes in
    `sizes`: `strength` says how it is known (docs/verdicts.md). `floats` says how the results compare in floats. If
    it fails, `inputs` has tensors on which the two differ (of inputs and of parameters, by their names in the
    module), `element` the place, `expected` and `found` the two values there, and `first` the first operation that
    differs."""

    verdict: str
    strength: str = ""
    text: str = ""
    sizes: str = ""
    notes: list = field(default_factory=list)
    floats: str = ""
    inputs: dict = field(default_factory=dict)
    element: tuple = ()
    expected: float = float("nan")
    found: float = float("nan")
    first: object = None
    evidence: dict = field(default_factory=dict)
    program: str = ""
    seconds: float = 0.0

    def __bool__(self):
        return self.verdict == "holds"

    def __str__(self):
        lines = [
            f"{self.verdict}: {self.text}" + (f" ({self.strength})" if self.strength else ""),
            f"  at {self.sizes}",
        ]
        if self.floats:
            lines.append(f"  in floats: {self.floats}")
        if self.verdict == "fails" and self.inputs:
            lines.append(
                f"  on the inputs below, element {list(self.element)} is {self.expected} in the module and "
                f"{self.found} in the candidate"
            )
        if self.first is not None:
            lines += ["  " + line for line in str(self.first).split("\n")]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  {name} = {shown(value)}" for name, value in self.inputs.items()]
        return "\n".join(lines)


def shown(value):
    """A tensor in a line: its elements that are not 0, or its first ones."""
    places = value.nonzero().tolist()
    if value.numel() > 8 and len(places) <= 8:
        rest = ", ".join(f"{place} = {float(value[tuple(place)]):.6g}" for place in places)
        return f"0 in {list(value.shape)}" + (f", but {rest}" if rest else "")
    numbers = ", ".join(f"{number:.6g}" for number in value.flatten().tolist()[:8])
    return f"{list(value.shape)}: {numbers}" + (", ..." if value.numel() > 8 else "")


class Sides:
    """The module and the candidate as circuits of one list of parameters."""

    def __init__(self, module, candidate, example_inputs, function, order):
        self.pool = Pool()
        if isinstance(module, torch.nn.Module):
            add_parameters(self.pool, module)
        self.graph = trace(module, example_inputs, RULES, self.pool)
        self.order = order
        self.title = title_of(module)
        self.notes = []
        self.other = self.text = None
        parameters = list(self.graph.parameters)
        if isinstance(candidate, str):
            self.text = candidate
            self.function = rewritten.function_of(candidate, function)
            self.candidate_title = self.function.name
            wanted = self.function.parameters
            if len(wanted) != len(self.graph.inputs + parameters):
                mine = ", ".join(f"{node.name}: {list(node.shape)}" for node in self.graph.inputs + parameters)
                raise ArgumentMistake(
                    f"`{self.function.name}` has {len(wanted)} parameters ({', '.join(wanted)}), and the "
                    f"module has {len(self.graph.inputs + parameters)}: {mine}"
                )
        else:
            self.candidate_title = title_of(candidate)
            if isinstance(candidate, torch.nn.Module):
                self.identify(candidate)
            self.other = trace(candidate, example_inputs, RULES, self.pool, self.graph.inputs)
            parameters += [node for node in self.other.parameters if node not in parameters]
        self.ours = "module" if "module" not in (self.text or "") else "the_module_itself"
        self.parameters = self.graph.inputs + parameters
        self.check_results()

    def identify(self, candidate):
        """The parameters of a candidate module are those of the module that have their names, else their values."""
        named = {node.title: node for node in self.pool.nodes if node.kind == "parameter"}
        tensors = [
            (name, tensor)
            for name, tensor in list(candidate.named_parameters()) + list(candidate.named_buffers())
            if tensor.dtype.is_floating_point and self.pool.find(tensor) is None
        ]
        for name, tensor in tensors:
            node = named.get(name)
            if node is None or node.shape != tuple(tensor.shape):
                equal = [
                    other
                    for other in named.values()
                    if other.shape == tuple(tensor.shape) and torch.equal(other.value, tensor)
                ]
                node = equal[0] if len(equal) == 1 else None
                if node is None:
                    raise ArgumentMistake(
                        f"the candidate's parameter `{name}` {list(tensor.shape)} has no counterpart in the module, "
                        f"whose parameters are {', '.join(f'{n} {list(p.shape)}' for n, p in named.items()) or 'none'}"
                        + (f"; its values are those of several: {', '.join(o.title for o in equal)}" if equal else "")
                        + ". Give it the name of its counterpart, or write the candidate as a function of the module's "
                        "tensors, so that what is packed or transposed is so inside of it"
                    )
                self.notes.append(
                    f"the candidate's `{name}` has the values of the module's `{node.title}`, and is taken for it"
                )
            self.pool.identify(tensor, node)

    def check_results(self):
        if self.other is None:
            return
        ours = [tuple(node.shape) for node in self.graph.outputs]
        theirs = [tuple(node.shape) for node in self.other.outputs]
        if ours != theirs:
            raise ArgumentMistake(
                f"the results have different shapes: {', '.join(str(list(s)) for s in ours)} in the "
                f"module and {', '.join(str(list(s)) for s in theirs)} in the candidate"
            )

    def program(self, real, wrap=False):
        """Both circuits; with `wrap`, those that were imported. A candidate's text comes first, so that messages
        count its lines."""
        mine = Circuit(self.graph, self.pool, self.ours, self.order).text(real, self.ours, self.parameters, wrap)
        if self.text is not None:
            return mine if wrap else self.text + "\n" + mine, self.function.name
        theirs = Circuit(self.other, self.pool, "candidate", self.order).text(real, "candidate", self.parameters, wrap)
        return mine + "\n" + theirs, "candidate"

    def sizes(self):
        return ", ".join(f"{p.name}: {FORMATS.get(p.dtype, p.dtype)}{list(p.shape)}" for p in self.parameters)


def clauses(sides, ranges, default=None):
    """`for x: -1..1, running_var > 0`. Names of parameters of the module may be written with dots."""
    known = {node.title: node.name for node in sides.parameters} | {node.name: node.name for node in sides.parameters}
    unknown = [name for name in ranges if name not in known]
    if unknown:
        raise ArgumentMistake(f"`ranges` names `{unknown[0]}`, and the circuit has {', '.join(known)}")
    stated = {known[name]: limits for name, limits in ranges.items()}
    parts = []
    for node in sides.parameters:
        if node.name in stated:
            low, high = stated[node.name]
            parts.append(f"{node.name}: {low!r}..{high!r}" if high is not None else f"{node.name} > {low!r}")
        elif node.title.split(".")[-1] in POSITIVE:
            parts.append(f"{node.name}: 1/8..8" if default else f"{node.name} > 0")
        elif default:
            parts.append(f"{node.name}: {default}")
    return f" for {', '.join(parts)}" if parts else ""


def check(
    module,
    candidate,
    example_inputs,
    *,
    fn=None,
    ranges=None,
    dynamic=None,
    floats=True,
    order="seq",
    budget=10,
    trials=None,
    seed=None,
):
    """Compares a candidate (a function, a module, or the text of a Reckon program) with a module or function.

    Both are imported at the example inputs' shapes and compared as functions of their inputs and of the module's
    parameters, over the reals: `check ... in algebra`. If they agree and `floats` is true, they are also compared in
    their formats, as `order` sums: the same bits, only rounding, or more. `ranges` limits inputs, `{"x": (0, 1)}`;
    `(0, None)` means above 0. `dynamic` names dimensions, `{"x": {0: "n"}}`: the comparison over the reals is then
    for all sizes of them. `budget` is in seconds, for each check."""
    started = time.monotonic()
    if isinstance(example_inputs, torch.Tensor):
        example_inputs = [example_inputs]
    sides = Sides(module, candidate, example_inputs, fn, order)
    ranges = ranges or {}
    places = sizes_of(example_inputs, input_names(module, example_inputs), dynamic) if dynamic else {}
    program, name = sides.program(True)
    if places:

        def at_sizes(sizes):
            return Sides(module, candidate, resized(example_inputs, places, sizes), fn, order).program(True, True)[0]

        program = (sides.text or "") + "\n" + symbolic(at_sizes, places)
    extra = f" trials {trials}" if trials else ""
    claim = f"check {sides.ours} == {name} in algebra{clauses(sides, ranges)}{extra}"
    found = _session.check(program, claim, budget, seed)
    verdict = Verdict(
        found["verdict"],
        found["strength"] if found["verdict"] == "holds" else "",
        f"{sides.candidate_title} {{}} {sides.title} over the reals",
        sizes_text(sides, places, found),
        sides.notes + found.get("notes", []),
        evidence=found.get("evidence", {}),
        program=program,
    )
    seen = found.get("evidence", {})
    if found["verdict"] == "holds" and seen.get("outputs_defined", 0) < seen.get("outputs", 0):
        verdict.notes.append(
            f"{seen['outputs_defined']} of {seen['outputs']} outputs had a value in the ring, and "
            f"{seen.get('real_points', 0)} real points were compared"
        )
    if places:
        verdict.notes.append(
            "the circuits for all sizes are those that imports at 1, 2 and 3 times the example's sizes have "
            "in common"
        )
    if places and found["verdict"] == "fails":
        return at_failing_sizes(
            module,
            candidate,
            resized(example_inputs, places, found["counterexample"]["dimensions"]),
            found,
            fn=fn,
            ranges=ranges,
            order=order,
            budget=budget,
            seed=seed,
        )
    if found["verdict"] == "undecided":
        found = closely(found, program, f"{sides.ours} ~ {name}", clauses(sides, ranges, "-1..1"), budget, seed)
        verdict.verdict, verdict.notes = found["verdict"], sides.notes + found.get("notes", [])
        verdict.strength = "observed to 25 decimal places" if found["verdict"] == "holds" else ""
    relation = {"holds": "is the same function as", "fails": "is not the same function as"}
    verdict.text = verdict.text.format(relation.get(found["verdict"], "may or may not be the same function as"))
    if found["verdict"] == "fails":
        explain(verdict, sides, found, ranges)
        verdict.inputs = {node.title: verdict.inputs[node.name] for node in sides.parameters if verdict.inputs}
    elif found["verdict"] == "holds" and floats:
        verdict.floats = in_floats(sides, ranges, budget, seed)
    verdict.seconds = time.monotonic() - started
    return verdict


def sizes_text(sides, places, found):
    """The shapes, and for named dimensions the sizes that were compared."""
    text = sides.sizes()
    if not places:
        return text
    tried = found.get("evidence", {}).get("sizes", "")
    named = ", ".join(f"{symbol} (here {size})" for symbol, (size, _) in places.items())
    return f"{text}; dimensions {named}, {tried_text(tried) if tried else 'all sizes'}"


def tried_text(tried):
    """How many choices of sizes were compared, and the largest of each dimension."""
    largest = ", ".join(f"{symbol} = {max(sizes[symbol] for sizes in tried)}" for symbol in tried[0])
    return f"{len(tried)} choices of sizes, up to {largest}"


def at_failing_sizes(module, candidate, inputs, found, **options):
    """The same question at the sizes of a counterexample, where the difference is explained."""
    again = check(module, candidate, inputs, **options)
    sizes = ", ".join(f"{symbol} = {size}" for symbol, size in found["counterexample"]["dimensions"].items())
    again.notes.insert(0, f"the two differ at {sizes}")
    return again


def closely(found, program, pair, where, budget, seed):
    """Where algebra does not decide: the values of both at real points, to 25 decimal places."""
    points = _session.check(program, f"check {pair} within 1e-25 in exact{where} trials 20", 6 * budget, seed)
    if points["verdict"] == "undecided":
        return found
    notes = [f"algebra alone left it undecided: {note}" for note in found.get("notes", [])[:1]]
    return {**points, "notes": points.get("notes", []) + notes}


def in_floats(sides, ranges, budget, seed):
    """The same bits, only rounding, or more."""
    program, name = sides.program(False)
    where = clauses(sides, ranges, "-1..1")
    equal = f"check {sides.ours} == {name} in float{where} trials 100"
    near = f"check {sides.ours} ~ {name} within bound in float{where} trials 100"
    try:
        bits, bound = _session.check_all(program, [equal, near], budget, seed)
    except _session.ReckonError as refused:
        return f"not compared: {refused.errors[0]['message']}"
    if bits["verdict"] == "holds":
        trials = bits["evidence"]["trials"]
        return f"the same bits ({bits['strength']}, sums in the order `{sides.order}`, {trials} trials)"
    evidence = bound.get("evidence", {})
    if bound["verdict"] == "holds":
        return (
            f"only rounding: the largest difference was {evidence.get('largest_difference', 0):.3g}, and rounding "
            f"explains {evidence.get('allowed', 0):.3g} ({bound['strength']}, {evidence.get('trials', 0)} trials)"
        )
    if bound["verdict"] == "fails":
        allowance = bound["counterexample"].get("allowance", "")
        return f"differ by more than the rounding of these circuits explains: {allowance}"
    return "other bits, and no bound on the rounding of both is known" + "".join(
        f": {n}" for n in bound.get("notes", [])[:1]
    )


def foreign_tensors(sides):
    """Notes on constants of a candidate that may be meant to be parameters of the module."""
    nodes = sides.other.nodes if sides.other is not None else []
    suspect = [
        node
        for node in nodes
        if node.kind == "constant" and node.dtype.is_floating_point and node.value.unique().numel() > 2
    ]
    return [
        f"the candidate uses a constant tensor {list(node.shape)} ({node.place}): if it is a parameter of the module, "
        "use the module's own tensor, since the two are compared for all its values"
        for node in suspect[:1]
    ]


def explain(verdict, sides, found, ranges):
    """Inputs as tensors, the two values, and the first operation that differs."""
    example = found["counterexample"]
    reported = witness.tensors(sides.parameters, example["inputs"])
    generic = drawn(sides, ranges)
    verdict.notes += foreign_tensors(sides)
    if reported is not None:
        verdict.inputs = reported
        verdict.element = tuple(example.get("element", ()))
        verdict.expected = parsed(example["left"])
        verdict.found = parsed(example["right"])
    elif sides.other is not None:
        witness.simplify(verdict, sides, generic)
    for inputs in (generic, verdict.inputs):
        if not inputs:
            continue
        ours = steps.of_graph(sides.graph, inputs)
        theirs = (
            steps.of_graph(sides.other, inputs)
            if sides.other is not None
            else steps.of_text(sides.text, sides.function, sides.parameters, inputs)
        )
        if any(not same(a.value, b.value) for a, b in zip(ours.outputs, theirs.outputs)):
            verdict.first = first_difference(ours, theirs)
            return
    verdict.notes.append(
        "the two agree in float64 on these inputs: they differ by less than its rounding, or in a value "
        "that only one of them has"
    )


def drawn(sides, ranges):
    """Inputs without coincidences, within the ranges."""
    generator = torch.Generator().manual_seed(1)
    values = {}
    for node in sides.parameters:
        low, high = ranges.get(node.name, ranges.get(node.title, (None, None)))
        if node.title.split(".")[-1] in POSITIVE and low is None:
            low, high = 0.5, 2.0
        unit = torch.rand(node.shape, generator=generator, dtype=torch.float64)
        low = -1.5 if low is None else low
        values[node.name] = low + unit * ((low + 2.0 if high is None else high) - low)
    return values
