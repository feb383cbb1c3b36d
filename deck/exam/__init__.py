"""exam: what is expected on the day of the exam, and what to study for it.

    outlook.outlook(stakes, day, config)   expected points on that day, with their uncertainty
    plan.make_plan(stakes, exam, ...)      which items on which days, most points per minute first
    plan.best_next(stakes, exam, ...)      what to study now
    reach.reach(stakes, exam, ...)         whether a target can be reached, and what it would take

Assumed: items are recalled independently; whoever recalls in a review answers Good, whoever does
not answers Again and learns the item again; a new item is learnt with Good.
"""
