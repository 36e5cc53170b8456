"""The hot loops, compiled by numba when a module here is first imported.

Import these modules only where a solver or a timing is about to run: compiling takes a few seconds
the first time on a machine, loading the compiled code a few tenths of a second afterwards.
"""
