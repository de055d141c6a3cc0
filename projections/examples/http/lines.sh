#!/bin/sh
# Appends what has happened since the last time to a file: one event, one line. Run it as often as you like.
#   FLEETLOG_URL=http://localhost:8080 FLEETLOG_TOKEN=$(./fleetlog token --as analyst) ./lines.sh events.ndjson
set -eu
file=${1:-events.ndjson}

# Where we left off: the id of the last line; nothing yet: from the first event on.
after=0
if [ -s "$file" ]; then
  after=$(tail -n 1 "$file" | sed 's/.*"id": "\([0-9a-f]*:[0-9]*\)", "source".*/\1/')
fi

# Where an answer is not whole curl says so, and nothing is added.
curl --silent --show-error --fail-with-body \
  --header "Authorization: Bearer $FLEETLOG_TOKEN" --header 'Accept: application/x-ndjson' \
  --output "$file.new" "$FLEETLOG_URL/api/v1/events?after=$after"
cat "$file.new" >> "$file"
rm "$file.new"
