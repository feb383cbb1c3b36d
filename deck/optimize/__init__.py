"""optimize: parameters fitted to one's own answers, and what a retention would cost.

fit.fit(runs, config, progress)      old and new parameters with their losses; changes nothing
adopt.adopt(collection, fit, now)    writes them into settings and journal
adopt.reschedule(collection, now)    every review falls due as the settings promise now
workload.workload(...)               reviews and minutes a day for each desired retention

The work is done in a process of its own by fsrs-rs-python, the extra `optimize`.
"""
