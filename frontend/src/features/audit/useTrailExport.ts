import { useEffect, useRef, useState } from "react";
import { useSWRConfig } from "swr";
import { apiClient } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { saveFile } from "@/shared/table/saveFile";
import { toast } from "@/shared/toast";
import { NEWEST_ACCESSES } from "./accesses";
import { type AuditFilters, trailPath } from "./filters";

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Downloads what the filters let through; one file at a time, and none for a screen that was left. */
export function useTrailExport(filters: AuditFilters, asOf: string | null) {
  const [underWay, setUnderWay] = useState<ExportFormat>();
  const [bytes, setBytes] = useState(0);
  const controller = useRef<AbortController | null>(null);
  const { mutate } = useSWRConfig();
  useEffect(() => () => controller.current?.abort(), []);

  const download = async (format: ExportFormat, isRevealing: boolean) => {
    const started = new AbortController();
    controller.current = started;
    const { signal } = started;
    setUnderWay(format);
    setBytes(0);
    try {
      const path = trailPath(filters, asOf, { format, ...(isRevealing && { reveal: "true" }) });
      const { content, name } = await apiClient.download(path, { signal, onProgress: setBytes });
      saveFile(name ?? `audit.${format}`, content, content.type);
      toast.show({ title: "Audit trail downloaded", message: name, intent: "success" });
    } catch (error) {
      if (!signal.aborted) {
        toast.show({
          title: "Failed to download the audit trail",
          message: refusalText(error) ?? "Nothing was saved. Please try again.",
          intent: "danger",
        });
      }
    } finally {
      setUnderWay(undefined);
      // It was recorded, whatever became of the file.
      if (isRevealing) void mutate(NEWEST_ACCESSES);
    }
  };
  return { underWay, bytes, download, cancel: () => controller.current?.abort() };
}
