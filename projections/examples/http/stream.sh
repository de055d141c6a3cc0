#!/bin/sh
# Follows the events for ever as server-sent events: prints each as a line, and remembers in a file how far it is.
#   FLEETLOG_URL=http://localhost:8080 FLEETLOG_TOKEN=$(./fleetlog token --as analyst) ./stream.sh last-event-id
set -eu
place=${1:-last-event-id}

while :; do
  # A header with nothing after its colon is not sent: then it begins with the first event. Curl's status 22 means
  # that the feed refuses: the token has expired, or the log is another one.
  {
    curl --silent --show-error --fail --no-buffer \
      --header "Authorization: Bearer $FLEETLOG_TOKEN" --header 'Accept: text/event-stream' \
      --header "Last-Event-ID: $(cat "$place" 2> /dev/null || true)" \
      "$FLEETLOG_URL/api/v1/events" || echo "status: $?"
  } | while IFS= read -r line; do
    case $line in
      'data: '*) printf '%s\n' "${line#data: }" ;;
      # The id comes before its data: it is remembered when the block ends.
      'id: '*) id=${line#id: } ;;
      '') printf '%s\n' "$id" > "$place" ;;
      'status: 22') exit 22 ;;
    esac
  done
  sleep 3
done
