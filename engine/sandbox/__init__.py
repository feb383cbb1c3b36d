"""Runs a learner's NumPy function where it can do no harm: a warm process, a confined child a job.

    with Worker() as worker, worker.session(source) as answer:
        shape, dx = answer.call({"x": x, "delta": delta}, {"kh": 2}, [(6, 6)])

`Worker.layers` names what confines the child on this machine; what is promised is what they do.
This package's front imports no NumPy: the warm process loads it before it loads anything of ours.
"""

from engine.sandbox.fault import Fault, FunctionError
from engine.sandbox.session import Session
from engine.sandbox.worker import Worker, WorkerError

__all__ = ["Fault", "FunctionError", "Session", "Worker", "WorkerError"]
