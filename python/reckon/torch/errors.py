"""What an import refuses, and how it says so."""


class Unsupported(NotImplementedError):
    """An operation of the module that has no meaning in a circuit. `operator` is its name and `place` where it
    stands."""

    def __init__(self, operator, place, reason, hint=""):
        self.operator = operator
        self.place = place
        self.reason = reason
        where = f"\n  at {place}" if str(place) else ""
        advice = f"\n  hint: {hint}" if hint else ""
        super().__init__(f"`{operator}`: {reason}{where}{advice}")


class ArgumentMistake(TypeError):
    """The caller's arguments do not fit: their number, shapes or names."""
