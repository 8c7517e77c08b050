"""The launches of a plan (`--emit=plan`), in order."""


def launches(plan, number):
    """For each launch its kernel, the order of the buffers, and the round of each loop; `number` evaluates an extent."""
    loops, order = plan.get("loops", []), list(range(len(plan["buffers"])))
    rounds = [0] * len(loops)

    def around(kernel):
        """The loops around the kernel, outermost first."""
        out, loop = [], kernel.get("loop")
        while loop is not None:
            out, loop = [loop, *out], loops[loop].get("around")
        return out

    def inside(kernels, depth):
        while kernels:
            here = around(kernels[0])
            if len(here) == depth:
                yield kernels[0], list(order), list(rounds)
                kernels = kernels[1:]
                continue
            loop, count = here[depth], 0
            while count < len(kernels) and around(kernels[count])[depth : depth + 1] == [loop]:
                count += 1
            for rounds[loop] in range(number(loops[loop]["rounds"])):
                yield from inside(kernels[:count], depth + 1)
                for one, other in loops[loop]["exchanged"]:
                    order[one], order[other] = order[other], order[one]
            kernels = kernels[count:]

    yield from inside(plan["kernels"], 0)
