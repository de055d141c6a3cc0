"""`./fleetlog bench`: rates, latencies and costs of the product, compared with the limits of the machine."""
