"""The running floor: `make demo` and `make up`.

Wires everything together: the embedded services' addresses come from the environment (`python -m
config.embedded run -- ...`), web, worker and beat run as supervised children, simulated terminals play
over HTTP, the audit's services judge the result. Nothing else imports this package.
"""
