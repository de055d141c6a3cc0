import { useEffect } from "react";
import { endBulk, useBulkStore } from "@/shared/records/bulk/bulkStore";
import { endUndo, useUndoStore } from "@/shared/records/undo/undoStore";
import { loadRecordKinds } from "./recordKinds";
import { useLazyPanel } from "./useLazyPanel";

/** Runs bulk operations, independently of the screen that requested them. */
export function BulkHost() {
  const request = useBulkStore((state) => state.request);
  const { open, panel } = useLazyPanel(loadBulk, "Failed to open the dialog");

  useEffect(() => {
    if (request) void open();
  }, [request, open]);

  // Ends the operation when another user signs in.
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

/** Runs undo requests, independently of the screen that made them. */
export function UndoHost() {
  const requests = useUndoStore((state) => state.requests);
  const { open, panel } = useLazyPanel(loadUndo, "Failed to undo");

  useEffect(() => {
    if (requests.length > 0) void open();
  }, [requests, open]);

  return panel;
}

async function loadUndo() {
  try {
    const [{ UndoRunner }, kinds] = await Promise.all([
      import("@/shared/records/undo/UndoRunner"),
      loadRecordKinds(),
    ]);
    return () =>
      useUndoStore(({ requests }) => requests).map((request) => {
        const definition = kinds.find(({ api }) => api.noun === request.entity);
        const key = `${request.entity} ${request.id} ${request.version}`;
        return definition && <UndoRunner key={key} definition={definition} request={request} />;
      });
  } catch (error) {
    for (const request of useUndoStore.getState().requests) endUndo(request);
    throw error;
  }
}
