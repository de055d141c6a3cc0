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
  /** Whether the API refused the filters. */
  isRefused: boolean;
}

/** Downloads of the filtered trail; masked unless the user asks for personal data. */
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
          // Not `disabled`, which would lose the focus.
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
          "The file will contain names, reasons and personal values. " +
          "Your name, the time and these filters are recorded in the access log."
        }
        confirmLabel={`Record and download ${confirmed.toUpperCase()}`}
        intent="primary"
        onConfirm={() => {
          setAsked(undefined);
          // The next download is masked again by default.
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
    // The access was logged, even if the download failed.
    if (isRevealing) void mutate(NEWEST_ACCESSES);
  };
  return { underWay: isUnderWay ? format : undefined, bytes, download: begin, cancel };
}
