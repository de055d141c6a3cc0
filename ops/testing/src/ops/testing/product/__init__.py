"""Tools to try the whole product from outside. They know its contract and nothing of its code.

- What is sent: `fields` (what each field accepts), `bodies`, `hostile`, `exchanges` (commands and answers).
- What must come of it: `fleet_model` (the answers), `log_fold` (the log added up) and `read_tables` (held
  against that); `whole` waits until the projections have caught up, and then looks at everything.
- Who sends: `client` (one, strictly), `conversation` (one, in step with the model), `writer` and `load`
  (many, as good clients that try again), while `kills` ends processes.
"""
