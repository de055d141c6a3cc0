import { Button } from "@blueprintjs/core";
import { TickCircle } from "@blueprintjs/icons";
import { Fragment, useState } from "react";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { StatusBadge } from "@/shared/ui";
import { SidePanel } from "@/shared/ui/SidePanel";
import { alertDelay, piecesOf, runbookOf } from "./runbooks";
import { Ago } from "./sections";
import styles from "./system.module.css";
import type { Alert, System } from "./systemState";

const SEVERITIES = {
  page: { label: "Act now", tone: "danger" },
  ticket: { label: "Today", tone: "warning" },
} as const;

/** Failing checks with their runbooks, the most severe first. */
export function Alerts({ system: { alerts, at } }: { system: System }) {
  const [opened, setOpened] = useState<Alert>();
  const [isOpen, setOpen] = useState(false);
  const sorted = alerts.toSorted(
    (one, other) => Number(other.severity === "page") - Number(one.severity === "page"),
  );
  const isWell = alerts.length === 0;
  const isEarly = alerts.some(({ name }) => alertDelay(name) !== undefined);
  return (
    <Section title="Alerts">
      <p className={isWell ? `fl-row ${styles.well}` : "fl-visually-hidden"} role="status">
        {isWell && <TickCircle aria-hidden />}
        {isWell ? "No active alerts." : `${counted(alerts.length, "alert")}.`}
      </p>
      {isEarly && (
        <p className={`fl-remark ${styles.early}`}>
          Shown here immediately; Prometheus alerts after the delay given.
        </p>
      )}
      {!isWell && (
        <ul className={styles.alerts}>
          {sorted.map((alert) => (
            <li key={`${alert.name} ${alert.summary}`} className="fl-row" data-severity={alert.severity}>
              <StatusBadge {...SEVERITIES[alert.severity]} />
              <div className={styles.alert}>
                <p className="fl-lead fl-strong">{alert.summary}</p>
                <p className="fl-remark">
                  {alert.name}
                  {alert.since !== null && (
                    <>
                      , since <Ago moment={alert.since} at={at} />
                    </>
                  )}
                  {alertDelay(alert.name) && `, Prometheus alerts after ${alertDelay(alert.name)}`}
                </p>
              </div>
              <Button
                text="What to do"
                aria-label={`What to do: ${alert.summary}`}
                aria-haspopup="dialog"
                onClick={() => {
                  setOpened(alert);
                  setOpen(true);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {opened && <RunbookPanel alert={opened} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** An alert's runbook; part of the bundle, so that it can be read while the server is down. */
function RunbookPanel({ alert, isOpen, onClose }: { alert: Alert; isOpen: boolean; onClose: () => void }) {
  const blocks = runbookOf(alert);
  return (
    <SidePanel title="What to do" isOpen={isOpen} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it */}
      <section className={styles.runbook} aria-label={alert.name} tabIndex={0}>
        <h3>{alert.summary}</h3>
        <p className="fl-remark">{alert.name}</p>
        {blocks?.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <Fragment key={index}>
            {block.kind === "paragraph" ? (
              <p>{inline(block.text)}</p>
            ) : (
              <ul>
                {block.items.map((item) => (
                  <li key={item}>{inline(item)}</li>
                ))}
              </ul>
            )}
          </Fragment>
        )) ?? <p>This alert has no runbook. Run ./fleetlog doctor for a full check.</p>}
      </section>
    </SidePanel>
  );
}

function inline(text: string) {
  return piecesOf(text).map(({ kind, text: piece, href }, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: they never change
    if (kind === "code") return <code key={index}>{piece}</code>;
    if (kind === "text") return piece;
    return (
      <a key={index} href={href} target="_blank" rel="noreferrer">
        {piece}
      </a>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: they never change
  });
}
