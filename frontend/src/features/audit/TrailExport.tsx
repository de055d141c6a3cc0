import { Button, Switch } from "@blueprintjs/core";
import { Download } from "@blueprintjs/icons";
import { useState } from "react";
import { useSWRConfig } from "swr";
import { Permitted } from "@/shared/auth/permissions";
import { formatMegabytes } from "@/shared/format/megabytes";
import { useDownload } from "@/shared/table/useDownload";
import { ConfirmDialog } from "@/shared/ui";
import { NEWEST_ACCESSES } from "./AccessLogTab";
import { type AuditFilters, trailPath } from "./filters";
import styles from "./trail.module.css";

interface TrailExportProps {
  filters: AuditFilters;
  asOf: string | null;
  /** The API takes no such filters. */
  isRefused: boolean;
}

/** Downloads everything that the filters let through, masked unless somebody insists. */
export function TrailExport({ filters, asOf, isRefused }: TrailExportProps) {
  const [isRevealing, setRevealing] = useState(false);
  const [asked, setAsked] = useState<ExportFormat>();
  const { underWay, bytes, download, cancel } = useTrailExport(filters, asOf);
  const [confirmed, setConfirmed] = useState<ExportFormat>("csv");

  return (
    <div className={styles.export}>
      {EXPORT_FORMATS.map((format) => (
        <Button
          key={format}
          icon={<Download />}
          size="small"
          text={underWay === format ? "Downloading..." : `Download ${format.toUpperCase()}`}
          disabled={isRefused}
          // Not disabled: that would lose the focus.
          aria-disabled={underWay !== undefined}
          aria-busy={underWay === format}
          onClick={() => {
            if (underWay !== undefined) return;
            if (!isRevealing) return void download(format, false);
            setConfirmed(format);
            setAsked(format);
          }}
        />
      ))}
      {underWay !== undefined && (
        <>
          <span className="fl-muted">{formatMegabytes(bytes)}</span>
          <Button variant="minimal" size="small" text="Cancel" onClick={cancel} />
        </>
      )}
      <Permitted to="audit:reveal">
        <Switch
          className={styles.reveal}
          label="With personal data"
          checked={isRevealing}
          onChange={({ currentTarget }) => setRevealing(currentTarget.checked)}
        />
      </Permitted>
      <ConfirmDialog
        isOpen={asked !== undefined}
        title="Download with personal data?"
        message={
          "Names, reasons and the values of personal fields will stand in the file as they are. " +
          "Your name, the time and these filters will be recorded in the access log, which auditors read."
        }
        confirmLabel={`Record and download ${confirmed.toUpperCase()}`}
        intent="primary"
        onConfirm={() => {
          setAsked(undefined);
          // The next one is masked again, unless it is asked for anew.
          setRevealing(false);
          void download(confirmed, true);
        }}
        onCancel={() => setAsked(undefined)}
      />
    </div>
  );
}

const EXPORT_FORMATS = ["csv", "ndjson"] as const;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Downloads what the filters let through. */
function useTrailExport(filters: AuditFilters, asOf: string | null) {
  const [format, setFormat] = useState<ExportFormat>();
  const { isUnderWay, bytes, download, cancel } = useDownload();
  const { mutate } = useSWRConfig();

  const begin = async (wanted: ExportFormat, isRevealing: boolean) => {
    setFormat(wanted);
    await download(trailPath(filters, asOf, { format: wanted, ...(isRevealing && { reveal: "true" }) }), {
      name: `audit.${wanted}`,
      done: "Audit trail downloaded",
      failed: "Failed to download the audit trail",
    });
    // It was recorded, whatever became of the file.
    if (isRevealing) void mutate(NEWEST_ACCESSES);
  };
  return { underWay: isUnderWay ? format : undefined, bytes, download: begin, cancel };
}
