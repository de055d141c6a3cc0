#!/bin/sh
# Asks for one batch after the other, and waits for what comes: for tools that know nothing but requests.
#   FLEETLOG_URL=http://localhost:8080 FLEETLOG_TOKEN=$(./fleetlog token --as analyst) ./poll.sh [BATCHES]
set -eu
batches=${1:--1}
next='/api/v1/events?after=0&limit=500&wait=20'

while [ "$batches" -ne 0 ]; do
  curl --silent --show-error --fail-with-body --dump-header headers.txt --output batch.json \
    --header "Authorization: Bearer $FLEETLOG_TOKEN" "$FLEETLOG_URL$next"
  cat batch.json # an array; empty when nothing came within 20 s
  echo
  # Where the next one begins: Link: </api/v1/events?after=…>; rel="next"
  next=$(sed -n 's/^[Ll]ink: <\([^>]*\)>.*/\1/p' headers.txt)
  batches=$((batches - 1))
done
