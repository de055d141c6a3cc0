import { Button } from "@blueprintjs/core";
import { ChevronLeft, ChevronRight } from "@blueprintjs/icons";
import type { Page } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { MomentText } from "@/shared/format/MomentText";
import {
  ActorText,
  type Change,
  ChangeBadge,
  FieldChanges,
  kindOf,
  namedChanges,
  reasonText,
} from "@/shared/history";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { type RecordProps, recordPath } from "../definition";
import styles from "./history.module.css";

/** The version shown, its change, and buttons to step between versions. */
export function VersionBar({ definition, id, version }: RecordProps & { version: number }) {
  const [, update] = useAddressParams();
  const path = `${recordPath(definition.api, id)}/history`;
  const at = useApiQuery<Page<Change>>(`${path}?cursor=${version - 1}&limit=1`);
  const latest = useApiQuery<Page<Change>>(`${path}?order=desc&limit=1`);
  const change = at.data?.content.find((one) => one.version === version);
  const last = latest.data?.content[0];
  const goTo = (chosen: number | undefined) =>
    update({ version: chosen === undefined ? null : String(chosen), tab: null });
  const isFirst = version <= 1;
  const isLast = last !== undefined && version >= last.version;
  const { labels } = definition;
  const reason = change && reasonText(change);

  return (
    <section className={`fl-card ${styles.versionBar}`} aria-label="Version">
      <div className="fl-row">
        <p className="fl-strong" aria-live="polite">
          Version {version}
          {last && ` of ${last.version}`}
        </p>
        {change && (
          <>
            <ChangeBadge change={change} />
            <span>
              <ActorText of={change} />
            </span>
            <span className="fl-muted">
              <MomentText moment={change.moment} isExact />
            </span>
          </>
        )}
        <div className={styles.steps}>
          {/* Not disabled at the ends, which would lose the focus. */}
          <Button
            icon={<ChevronLeft />}
            text="Older"
            aria-disabled={isFirst}
            onClick={() => !isFirst && goTo(version - 1)}
          />
          <Button
            endIcon={<ChevronRight />}
            text="Newer"
            aria-disabled={isLast}
            onClick={() => !isLast && goTo(version + 1)}
          />
          <Button variant="minimal" text="Show current" onClick={() => goTo(undefined)} />
        </div>
      </div>
      {reason && <blockquote className={styles.reason}>{reason}</blockquote>}
      {change && ["details_changed", "merged"].includes(kindOf(change.type) ?? "") && (
        <FieldChanges changes={namedChanges(labels, change)} labels={labels} />
      )}
    </section>
  );
}
