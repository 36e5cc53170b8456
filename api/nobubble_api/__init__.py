"""The service: schedules over REST.

A request becomes `work.Work`; the `store` keeps it as a job; `runner` claims jobs and has them
solved by an `execution` backend; `routes` are what clients see of it.
"""
