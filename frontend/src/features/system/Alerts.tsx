import { Button } from "@blueprintjs/core";
import { TickCircle } from "@blueprintjs/icons";
import { useState } from "react";
import { Section } from "@/shared/form/Section";
import { counted } from "@/shared/format/counted";
import { StatusBadge } from "@/shared/ui";
import { Ago } from "./Ago";
import { RunbookPanel } from "./RunbookPanel";
import { alertDelay } from "./runbooks";
import styles from "./system.module.css";
import type { Alert, System } from "./wire";

const SEVERITIES = {
  page: { label: "Act now", tone: "danger" },
  ticket: { label: "Today", tone: "warning" },
} as const;

/** Failing checks, the most severe first, with their runbooks. */
export function Alerts({ system: { alerts, at } }: { system: System }) {
  const [opened, setOpened] = useState<Alert>();
  const [isOpen, setOpen] = useState(false);
  const sorted = alerts.toSorted(
    (one, other) => Number(other.severity === "page") - Number(one.severity === "page"),
  );
  const isWell = alerts.length === 0;
  const isEarly = alerts.some(({ name }) => alertDelay(name) !== undefined);
  return (
    <Section title="What is wrong">
      <p className={isWell ? styles.well : "fl-visually-hidden"} role="status">
        {isWell && <TickCircle aria-hidden />}
        {isWell ? "Nothing: there is no alert." : `${counted(alerts.length, "alert")}.`}
      </p>
      {isEarly && (
        <p className={`fl-remark ${styles.early}`}>
          Told here at once; Prometheus rings when it has lasted for as long as is said with it.
        </p>
      )}
      {!isWell && (
        <ul className={styles.alerts}>
          {sorted.map((alert) => (
            <li key={`${alert.name} ${alert.summary}`} data-severity={alert.severity}>
              <StatusBadge {...SEVERITIES[alert.severity]} />
              <div className={styles.alert}>
                <p className={styles.summary}>{alert.summary}</p>
                <p className="fl-remark">
                  {alert.name}
                  {alert.since !== null && (
                    <>
                      , began <Ago moment={alert.since} at={at} />
                    </>
                  )}
                  {alertDelay(alert.name) && `, rings after ${alertDelay(alert.name)}`}
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
