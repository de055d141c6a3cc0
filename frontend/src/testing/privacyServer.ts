import { HttpResponse, http, type JsonBodyType } from "msw";
import { inDays, type PrivacyStatus } from "@/shared/privacy/status";
import { type SeenRequest, seenRequest } from "./answer";
import { asha, problem } from "./recordServer";
import { server } from "./server";

/** The privacy status of a driver, with defaults. */
export function wireStanding(differences: Partial<PrivacyStatus> = {}): PrivacyStatus {
  return {
    id: "EMP-001",
    entity: "driver",
    state: "active",
    basis: null,
    due: null,
    hold_until: null,
    asked_at: null,
    asked_by: null,
    erased_at: null,
    erased_by: null,
    events: 4,
    in_the_clear: 0,
    fields: ["name", "city"],
    receipt: false,
    ...differences,
  };
}

/** The same while it is restricted: by Asha Rao, who is signed in in tests. */
export function restricted(differences: Partial<PrivacyStatus> = {}): PrivacyStatus {
  return wireStanding({
    state: "restricted",
    basis: "asked",
    due: inDays(12),
    asked_at: "2026-11-21T09:30:00.000Z",
    asked_by: asha,
    ...differences,
  });
}

/** Mocks the privacy status and commands of one record; records the commands. */
export function privacyServer(path: string, first: PrivacyStatus | null) {
  let standing = first;
  let refusal: (() => Response) | undefined;
  const sent: SeenRequest[] = [];
  const asked: string[] = [];

  const command =
    (after: (body: Record<string, string | null>) => Partial<PrivacyStatus>, status: number) =>
    async ({ request }: { request: Request }) => {
      const seen = await seenRequest(request);
      sent.push(seen);
      if (refusal) return refusal();
      if (standing === null) return problem(404);
      standing = { ...standing, ...after((seen.body ?? {}) as Record<string, string | null>) };
      if (status === 204) return new HttpResponse(null, { status });
      return HttpResponse.json(standing as unknown as JsonBodyType, { status });
    };

  server.use(
    http.get(`*${path}/privacy`, ({ request }) => {
      asked.push(new URL(request.url).pathname);
      return standing === null ? problem(404) : HttpResponse.json(standing as unknown as JsonBodyType);
    }),
    http.get(`*${path}/privacy/receipt`, () =>
      HttpResponse.json(
        { note: "signed" },
        { headers: { "Content-Disposition": 'attachment; filename="driver-EMP-001-receipt.json"' } },
      ),
    ),
    http.post(
      `*${path}/restriction`,
      command(({ basis, due }) => restricted({ basis: basis as "asked", due: due ?? null }), 200),
    ),
    http.put(
      `*${path}/restriction/hold`,
      command(({ until }) => ({ hold_until: until ?? null }), 200),
    ),
    http.delete(
      `*${path}/restriction`,
      command(() => wireStanding(), 204),
    ),
    http.post(
      `*${path}/erasure`,
      command(() => ({ state: "erasing" }), 202),
    ),
  );
  return {
    sent,
    asked,
    /** It stands otherwise from now on. */
    become: (next: PrivacyStatus) => {
      standing = next;
    },
    /** From now on, commands are refused so. */
    refuse: (status: number, extensions: Record<string, JsonBodyType>) => {
      refusal = () => problem(status, extensions);
    },
  };
}
