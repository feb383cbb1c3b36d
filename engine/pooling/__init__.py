"""Max pooling at speed: blocks of planes, separable passes, and messages sent back by index.

arguments    what x, delta and the rest may be, refused by name
separable    the forward message of one block: columns first, then rows
blocks       how an input is cut into blocks, and a thread for each share of them
scatter      the backward message: what each window sends, added up where it arrives
ties         all maxima of a window, for the policies that share a message among them
places       from a window's winning cell to the flat index in the input plane, and back
functions    max_pool, max_pool_backward and max_unpool as plain functions"""

from __future__ import annotations
