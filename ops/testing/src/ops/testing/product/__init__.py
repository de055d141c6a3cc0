"""Tools that test the complete product from outside. They know its contract and nothing of its code.

- Requests: `fields` (the values that each field accepts), `bodies`, `exchanges` (commands and answers).
- Expectations: `fleet_model` (answers), `log_fold` (the log), `read_tables` (compared with the log).
- Clients: `client` (one, strict), `writer` and `load` (many, with retries), while `kills` ends processes.
  `history` records the requests and answers of writers, and `history_check` compares them with the log.
"""
