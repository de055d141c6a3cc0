/** One way to read the events. */
export interface Way {
  title: string;
  /** What the command does, in one sentence. */
  does: string;
  command: string;
}

/**
 * What to type first, and then to read the events in one way or another.
 * @param address the API's, without a slash at its end
 */
export function waysToConnect(address: string): { first: Way; ways: readonly Way[] } {
  return {
    first: {
      title: "Address and token",
      does: "Run this once, where the product's command line is. A new token is needed when it expires.",
      command: `export FLEETLOG_URL=${address}\nexport FLEETLOG_TOKEN=$(./fleetlog token --url ${address})`,
    },
    ways: [
      {
        title: "Everything so far",
        does: "One event per line, from the first one on, and ends. Go on later with the last id as “after”.",
        command: curl("application/x-ndjson", "?after=0", "--output events.ndjson"),
      },
      {
        title: "What happens from now on",
        does: "Server-sent events, which do not end until the token expires.",
        command: curl("text/event-stream", "?after=head", "--no-buffer"),
      },
      {
        title: "Batch by batch",
        does: "An array of at most 500 events. The header “Link” leads to the next one.",
        command: curl("application/cloudevents-batch+json", "?after=0&limit=500", "--include"),
      },
      {
        title: "A spreadsheet",
        does: "All events as CSV, by the product's command line, which signs in by itself.",
        command: `./fleetlog events export --url ${address} --format csv -o events.csv`,
      },
    ],
  };
}

function curl(accept: string, query: string, option: string): string {
  return [
    `curl --fail-with-body ${option} \\`,
    `  --header "Authorization: Bearer $FLEETLOG_TOKEN" \\`,
    `  --header 'Accept: ${accept}' \\`,
    `  "$FLEETLOG_URL/api/v1/events${query}"`,
  ].join("\n");
}
