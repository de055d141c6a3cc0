#!/bin/sh
# Print every event of drivers there ever was, one line each, and end: kcat.sh HOST:PORT
exec kcat -b "$1" -C -t fleetlog.driver.events.v2 -o beginning -e -q -f '%k %h %s\n'
