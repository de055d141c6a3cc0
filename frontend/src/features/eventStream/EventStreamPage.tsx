import { Button } from "@blueprintjs/core";
import { Duplicate } from "@blueprintjs/icons";
import { useId } from "react";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { runtimeConfig } from "@/shared/config/runtime";
import { Section } from "@/shared/form/Section";
import { PermittedPage } from "@/shared/frame";
import { copyText } from "@/shared/toast";
import { Loaded } from "@/shared/ui";
import { type PlainColumn, PlainTable } from "@/shared/ui/PlainTable";
import styles from "./eventStream.module.css";

export function EventStreamPage() {
  return (
    <PermittedPage
      permissions={["feed:read"]}
      to="read the event stream"
      title="Event Stream"
      subtitle="Every change to drivers, trailers, horses and locations, without personal data"
    >
      <Contents />
    </PermittedPage>
  );
}

function Contents() {
  const address = runtimeConfig().apiBase || window.location.origin;
  return (
    <div className="fl-stack">
      <Section title="Connect">
        {waysToConnect(address).map((way) => (
          <Command key={way.title} {...way} />
        ))}
        <p className="fl-muted">
          Add <code>&amp;entity=driver</code> or <code>&amp;type=registered</code> to an address to read only
          those. Delivery is at least once: skip ids that you have processed.
        </p>
      </Section>
      <Section title="Schemas">
        <p className="fl-muted fl-links">
          Events are CloudEvents 1.0. Ignore unknown members and types, because later releases may add some.
          All transports, including Kafka topics, are described in{" "}
          <a href={`${address}/api/v1/asyncapi.json`}>AsyncAPI</a>, and the requests in{" "}
          <a href={`${address}/openapi/query.json`}>OpenAPI</a>.
        </p>
        <Schemas />
      </Section>
    </div>
  );
}

/** A command with a button to copy it. */
function Command({ title, does, command }: Way) {
  const id = useId();
  return (
    <section className={styles.command} aria-labelledby={id}>
      <div className="fl-row fl-between">
        <h3 id={id} className="fl-heading">
          {title}
        </h3>
        <Button
          size="small"
          icon={<Duplicate />}
          text="Copy"
          aria-label={`Copy command: ${title}`}
          onClick={() => void copyText(command, "Command copied")}
        />
      </div>
      <p className="fl-muted">{does}</p>
      <pre
        className={styles.code}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: where it is too wide, arrow keys scroll it
        tabIndex={0}
      >
        <code>{command}</code>
      </pre>
    </section>
  );
}

interface Schema {
  type: string;
  description: string;
  dataschema: string;
}

const columns: readonly PlainColumn<Schema>[] = [
  {
    header: "Type",
    kind: "code",
    cell: ({ type, dataschema }) => <a href={dataschema}>{type}</a>,
  },
  // The rest of the description is the same for all types.
  { header: "Description", cell: ({ description }) => description.split(/(?<=\.) /)[0] },
];

/** All event types, with links to their schemas. */
function Schemas() {
  const query = useApiQuery<{ content: readonly Schema[] }>("/api/v1/schemas");
  return (
    <Loaded query={query} what="schemas">
      {({ content }) => (
        <PlainTable label="Schemas" columns={columns} rows={content} rowKey={({ type }) => type} hasCards />
      )}
    </Loaded>
  );
}

interface Way {
  title: string;
  does: string;
  command: string;
}

/** @param address the API's address without a trailing slash */
function waysToConnect(address: string): readonly Way[] {
  return [
    {
      title: "Address and token",
      does: "Run this once, in the folder of the product's command line. Run it again when the token expires.",
      command: `export FLEETLOG_URL=${address}\nexport FLEETLOG_TOKEN=$(./fleetlog token --url ${address})`,
    },
    {
      title: "All events so far",
      does: "One event per line, from the first one. To continue later, set “after” to the last id.",
      command: curl("application/x-ndjson", "?after=0", "--output events.ndjson"),
    },
    {
      title: "New events",
      does: "Server-sent events until the token expires.",
      command: curl("text/event-stream", "?after=head", "--no-buffer"),
    },
    {
      title: "Batches",
      does: "An array of at most 500 events. The header “Link” has the address of the next batch.",
      command: curl("application/cloudevents-batch+json", "?after=0&limit=500", "--include"),
    },
    {
      title: "A spreadsheet",
      does: "All events as CSV, through the product's command line, which signs in automatically.",
      command: `./fleetlog events export --url ${address} --format csv -o events.csv`,
    },
  ];
}

function curl(accept: string, query: string, option: string): string {
  return [
    `curl --fail-with-body ${option} \\`,
    `  --header "Authorization: Bearer $FLEETLOG_TOKEN" \\`,
    `  --header 'Accept: ${accept}' \\`,
    `  "$FLEETLOG_URL/api/v1/events${query}"`,
  ].join("\n");
}
