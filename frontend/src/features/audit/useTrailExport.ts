import { useState } from "react";
import { useSWRConfig } from "swr";
import { useDownload } from "@/shared/table/useDownload";
import { NEWEST_ACCESSES } from "./accesses";
import { type AuditFilters, trailPath } from "./filters";

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Downloads what the filters let through. */
export function useTrailExport(filters: AuditFilters, asOf: string | null) {
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
