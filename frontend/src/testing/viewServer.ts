import { HttpResponse, http } from "msw";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { problem } from "./recordServer";
import { server } from "./server";

type View = Wire<"SavedView">;

/** A stateful mock of the API of saved views. `refuse` makes later writes fail, `lose` later reads. */
export function viewServer(saved: readonly Omit<View, "changed_at">[] = []) {
  const changed_at = "2026-11-25T09:30:00.000Z";
  const stored = new Map<string, View>(saved.map((view) => [view.id, { ...view, changed_at }]));
  let refusal: string | undefined;
  let isLost = false;
  const refused = () => (refusal === undefined ? undefined : problem(409, { detail: refusal }));
  server.use(
    http.get("*/api/v1/views", () =>
      isLost ? HttpResponse.error() : HttpResponse.json({ content: [...stored.values()] }),
    ),
    http.put("*/api/v1/views/:id", async ({ request, params }) => {
      const body = (await request.json()) as Pick<View, "list" | "name" | "query">;
      const view = { ...body, id: String(params.id), changed_at };
      return refused() ?? (stored.set(view.id, view) && HttpResponse.json(view));
    }),
    http.delete("*/api/v1/views/:id", ({ params }) => {
      stored.delete(String(params.id));
      return refused() ?? new HttpResponse(null, { status: 204 });
    }),
  );
  return {
    views: () => [...stored.values()],
    lose: (lost: boolean) => {
      isLost = lost;
    },
    refuse: (detail: string) => {
      refusal = detail;
    },
  };
}
