"""Tests of the projections; a package, lest pytest take the folder above for the package `projections`."""
