import { type ComponentType, useEffect, useRef, useState } from "react";
import { endBulk, useBulkStore } from "@/shared/records/bulk/bulkStore";
import { endUndo, type UndoRequest, useUndoStore } from "@/shared/records/undo/undoStore";
import { toast } from "@/shared/toast";
import { loadRecordKinds } from "./recordKinds";
import { useLazyPanel } from "./useLazyPanel";

/** Runs bulk operations, independently of the screen that requested them. */
export function BulkHost() {
  const request = useBulkStore((state) => state.request);
  const { open, panel } = useLazyPanel(loadBulk, "the dialog");

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

type Undo = ComponentType<{ request: UndoRequest }>;

/** Runs undo requests, independently of the screen that made them; its code is loaded on demand. */
export function UndoHost() {
  const requests = useUndoStore((state) => state.requests);
  const [One, setOne] = useState<Undo>();
  const isLoading = useRef(false);

  useEffect(() => {
    if (requests.length === 0 || One !== undefined || isLoading.current) return;
    isLoading.current = true;
    loadUndo()
      .then((Loaded) => setOne(() => Loaded))
      .catch(() => {
        for (const request of useUndoStore.getState().requests) endUndo(request, false);
        toast.show({
          title: "Failed to undo",
          message: "The code could not be loaded. Please try again.",
          intent: "danger",
        });
      })
      .finally(() => {
        isLoading.current = false;
      });
  }, [requests, One]);

  if (One === undefined) return null;
  return requests.map((request) => (
    <One key={`${request.entity} ${request.id} ${request.version}`} request={request} />
  ));
}

async function loadUndo(): Promise<Undo> {
  const [{ UndoRunner }, kinds] = await Promise.all([
    import("@/shared/records/undo/UndoRunner"),
    loadRecordKinds(),
  ]);
  return ({ request }) => {
    const definition = kinds.find(({ api }) => api.noun === request.entity);
    return definition && <UndoRunner definition={definition} request={request} />;
  };
}
