"""The verifier: whether a schedule document is what it claims to be.

It works from the document alone, and shares no code with what times and builds schedules, so that
a mistake there cannot hide here. Lower bounds are the exception: the closed forms are those of
`nobubble.bounds`, calculated anew.
"""
