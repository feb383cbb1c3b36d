"""A card's own forward message: read, shaped, differentiated, drawn, and graded.

    given text --reading--> definitions --shapes--> extents --inputs--> random inputs
    definitions x inputs --duals--> values and exact Jacobians; where a kink is hit, every branch's

`engine.messages.exercise.GivenExercise` is what the rest of the engine sees of it."""

from __future__ import annotations
