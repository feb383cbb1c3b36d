"""Runs a learner's NumPy function where it can do no harm: a warm process, a confined child a job.

    with worker.Worker() as worker, worker.session(source) as answer:
        shape, dx = answer.call(wire.FunctionBatch({"x": x, "delta": delta}, {"kh": 2}, [(6, 6)]))

`Worker.confinement` names what confines the child, and what it tried and was not refused; where
that is anything, no function is run unless the learner was asked (`session`, `engine.check`).
The package itself imports no NumPy: the warm process loads it before it loads anything of ours."""

from __future__ import annotations
