"""Transport: can what the sources hold be shipped to where the sinks want it?"""

from __future__ import annotations

from collections import deque

import numpy as np

from engine.windows import Array, Mask


def can_ship(supply: Array, demand: Array, roads: Mask, slack: float) -> bool:
    """Whether `supply` (N,) can meet `demand` (N,) over one-way `roads` (N, N), all >= 0.

    Roads carry any amount; `slack` is what may be left over in all.  Ford and Fulkerson's
    augmenting paths, shortest first (Edmonds and Karp 1972): exact up to the rounding of sums.
    """
    if abs(float(supply.sum() - demand.sum())) > slack:
        return False
    nodes = len(supply)
    source, sink = nodes, nodes + 1
    room = np.zeros((nodes + 2, nodes + 2))
    room[:nodes, :nodes] = np.where(roads, np.inf, 0.0)
    room[source, :nodes] = supply
    room[:nodes, sink] = demand
    # Thinner paths than this are rounding; all together they stay below the slack.
    thin = slack / (16 * (nodes + 2) ** 2)
    while path := _shortest(room > thin, source, sink):
        tails, heads = path[:-1], path[1:]
        amount = room[tails, heads].min()
        room[tails, heads] -= amount
        room[heads, tails] += amount
    return float(room[source, :nodes].sum()) <= slack


def _shortest(open_: Mask, start: int, end: int) -> list[int]:
    """The nodes of a shortest path from start to end, or nothing."""
    came_from = {start: start}
    queue = deque([start])
    while queue and end not in came_from:
        node = queue.popleft()
        for step in np.flatnonzero(open_[node]).tolist():
            if step not in came_from:
                came_from[step] = node
                queue.append(step)
    if end not in came_from:
        return []
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]
