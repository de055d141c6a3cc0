import { runtimeConfig } from "@/shared/config/runtime";
import { PermittedPage } from "@/shared/frame";
import { Command } from "./Command";
import styles from "./eventStream.module.css";
import { Schemas } from "./Schemas";
import { waysToConnect } from "./waysToConnect";

/** How to connect to the public events, and what they hold. */
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
  const { first, ways } = waysToConnect(address);
  return (
    <div className="fl-stack">
      <section className={`fl-card ${styles.part}`} aria-labelledby="connect">
        <h2 id="connect">Connect</h2>
        <Command {...first} />
        {ways.map((way) => (
          <Command key={way.title} {...way} />
        ))}
        <p className="fl-muted">
          Add <code>&amp;entity=driver</code> or <code>&amp;type=registered</code> to an address to read only
          those. Every event arrives at least once: drop an id that you have seen.
        </p>
      </section>
      <section className={`fl-card ${styles.part}`} aria-labelledby="schemas">
        <h2 id="schemas">Schemas</h2>
        <p className="fl-muted">
          Events are CloudEvents 1.0. Ignore members and types that you do not know: later releases may add
          some. All ways to read them, Kafka's topics too, are described in{" "}
          <a href={`${address}/api/v1/asyncapi.json`}>AsyncAPI</a>, and the requests in{" "}
          <a href={`${address}/openapi/query.json`}>OpenAPI</a>.
        </p>
        <Schemas />
      </section>
    </div>
  );
}
