import { Button } from "@blueprintjs/core";
import { Undo } from "@blueprintjs/icons";
import { useState } from "react";
import { apiClient } from "@/shared/api/client";
import type { Page } from "@/shared/api/useApiPages";
import { usePermission } from "@/shared/auth/permissions";
import { refusalText } from "@/shared/auth/refusal";
import type { AuditedChange } from "@/shared/history";
import { askBulk } from "@/shared/records/bulk/bulkStore";
import { toast } from "@/shared/toast";
import { readFilters, trailPath } from "./filters";

/** Opens the dialog that undoes all changes of an import or a bulk change. */
export function UndoRun({ batch }: { batch: string }) {
  const mayChange = usePermission("fleet:write");
  const [isReading, setReading] = useState(false);
  if (!mayChange) return null;

  const ask = async () => {
    setReading(true);
    try {
      const changes = await changesOf(batch);
      const [first] = changes;
      const records = new Set(changes.map(({ entity, id }) => `${entity} ${id}`));
      const isOneKind = changes.every(({ entity }) => entity === first?.entity);
      // Always true for runs of these screens.
      if (first === undefined || !isOneKind || records.size < changes.length) {
        throw new Error("These changes cannot be undone together. Undo them one by one.");
      }
      askBulk({
        entity: first.entity,
        what: "undo",
        records: changes.map(({ id, record_name, version }) => ({ id, name: record_name ?? id, version })),
      });
    } catch (error) {
      const message = refusalText(error) ?? (error instanceof Error ? error.message : undefined);
      toast.show({ title: "Failed to undo", message, intent: "danger" });
    } finally {
      setReading(false);
    }
  };
  return (
    <Button
      icon={<Undo />}
      size="small"
      text="Undo All Changes"
      loading={isReading}
      onClick={() => void ask()}
    />
  );
}

/** The API's maximum page size. */
const MOST = "500";

/** All changes of a run, whatever other filters are active. */
async function changesOf(batch: string): Promise<readonly AuditedChange[]> {
  const filters = readFilters(new URLSearchParams({ batch }));
  const changes: AuditedChange[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: Record<string, string> = { limit: MOST, ...(cursor && { cursor }) };
    const { data } = await apiClient.get<Page<AuditedChange>>(trailPath(filters, null, more));
    changes.push(...data.content);
    cursor = data.next;
  }
  return changes;
}
