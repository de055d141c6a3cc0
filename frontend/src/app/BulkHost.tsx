import { useEffect } from "react";
import { endBulk, useBulkStore } from "@/shared/records/bulk/bulkStore";
import { loadRecordKinds } from "./recordKinds";
import { useLazyPanel } from "./useLazyPanel";

/** Carries out what is done with many records at once, whichever screen it was asked on. */
export function BulkHost() {
  const request = useBulkStore((state) => state.request);
  const { open, panel } = useLazyPanel(loadBulk, "it");

  useEffect(() => {
    if (request) void open();
  }, [request, open]);

  // Another user finds nothing of it.
  useEffect(() => endBulk, []);

  return panel;
}

async function loadBulk() {
  const [{ BulkDialog }, kinds] = await Promise.all([
    import("@/shared/records/bulk/BulkDialog"),
    loadRecordKinds(),
  ]);
  return () => {
    const { request, asked } = useBulkStore();
    const definition = kinds.find(({ api }) => api.noun === request?.entity);
    return request && definition && <BulkDialog key={asked} definition={definition} request={request} />;
  };
}
