import { HttpResponse, http, type JsonBodyType } from "msw";
import { type SeenRequest, seenRequest } from "./answer";
import { answerOfChoices, answerOfList } from "./listServer";
import { server } from "./server";

interface Actor {
  sub: string;
  name: string;
}

interface Change {
  version: number;
  type: string;
  moment: string;
  actor: Actor;
  fields: string[];
}

interface Stored<Wire> {
  wire: Wire;
  history: Change[];
}

interface Options<Wire> {
  path: string;
  /** The member that wraps a single record; none by default. */
  wrapper?: string;
  /** Fields that a search of paged lists reads. */
  searched?: readonly string[];
  /** Add the values that the server sets, such as the id. */
  complete?: (body: Wire) => Wire;
}

export const rohan: Actor = { sub: "dev|rohan", name: "Rohan Gupta" };
export const asha: Actor = { sub: "auth0|asha", name: "Asha Rao" };

/** The entity tag of a version; screens may read only the version from it. */
export function etagOf(version: number): string {
  return `"${version}-5f0c0d3c8d9b-9f86d081884c"`;
}

/**
 * A stateful mock of the API of one kind of record. Returns the requests, a way to override responses of a method, and changes by
 * other users.
 */
export function recordServer<Wire extends { id: string }>(
  { path, wrapper, searched = [], complete = (body) => body }: Options<Wire>,
  records: readonly Wire[] = [],
) {
  const stored = new Map<string, Stored<Wire>>();
  const requests: SeenRequest[] = [];
  const answers = new Map<string, (request: SeenRequest) => Response | undefined | Promise<Response>>();

  const note = (type: string, id: string, fields: string[], actor: Actor) => {
    const history = stored.get(id)?.history ?? [];
    const version = history.length + 1;
    return [...history, { version, type, moment: "2026-11-21T09:30:00.000Z", actor, fields }];
  };
  const put = (wire: Wire, actor: Actor) => {
    const before = stored.get(wire.id)?.wire;
    const fields = Object.keys(wire).filter(
      (name) => JSON.stringify(wire[name as keyof Wire]) !== JSON.stringify(before?.[name as keyof Wire]),
    );
    const type = before ? "details_changed" : "registered";
    stored.set(wire.id, { wire, history: note(type, wire.id, fields, actor) });
  };
  for (const wire of records) put(wire, rohan);

  const single = (id: string, status = 200) => {
    const found = stored.get(id);
    if (found === undefined) return problem(404);
    const body = wrapper === undefined ? found.wire : { [wrapper]: found.wire };
    return HttpResponse.json(body as JsonBodyType, {
      status,
      headers: { ETag: etagOf(found.history.length) },
    });
  };

  const all = () => [...stored.values()].map(({ wire }) => wire);

  const handle =
    (answer: (id: string, seen: SeenRequest) => Response) =>
    async ({ request, params }: { request: Request; params: Record<string, unknown> }) => {
      const seen = await seenRequest(request);
      requests.push(seen);
      return (await answers.get(seen.method)?.(seen)) ?? answer(String(params.id), seen);
    };

  server.use(
    http.get(
      `*${path}`,
      handle((_, { query }) => HttpResponse.json(answerOfList(all(), query, searched) as JsonBodyType)),
    ),
    http.get(
      `*/api/v1/lists/${path.split("/").at(-1)}/choices`,
      handle((_, { query }) => HttpResponse.json(answerOfChoices(all(), query, searched))),
    ),
    http.get(
      `*${path}/:id`,
      handle((id) => single(id)),
    ),
    http.post(
      `*${path}`,
      handle((_, { body }) => {
        const wire = complete(body as Wire);
        put(wire, asha);
        return single(wire.id, 201);
      }),
    ),
    http.put(
      `*${path}/:id`,
      handle((id, { body, headers }) => {
        const found = stored.get(id);
        if (found === undefined) return problem(404);
        const known = headers.get("If-Match");
        if (known !== null && known !== etagOf(found.history.length)) {
          const since = found.history.filter(({ version }) => version > Number.parseInt(known.slice(1), 10));
          return problem(412, {
            current_version: found.history.length,
            changed_since: since as unknown as JsonBodyType,
          });
        }
        put({ ...found.wire, ...(body as Partial<Wire>), id }, asha);
        return single(id);
      }),
    ),
    http.delete(
      `*${path}/:id`,
      handle((id) => {
        stored.delete(id);
        return new HttpResponse(null, { status: 204 });
      }),
    ),
  );

  return {
    requests,
    sent: (method: string) => requests.filter((request) => request.method === method),
    record: (id: string) => stored.get(id)?.wire,
    /** Change a record as another user. */
    change: (id: string, differences: Partial<Wire>, actor = rohan) => {
      const found = stored.get(id);
      if (found === undefined) throw new Error(`There is no ${id}.`);
      put({ ...found.wire, ...differences }, actor);
    },
    /** Delete a record as another user. */
    delete: (id: string) => stored.delete(id),
    /** Override the responses of a method; undefined: the usual response. */
    answer: (method: string, answer: (request: SeenRequest) => Response | undefined | Promise<Response>) =>
      answers.set(method, answer),
    /** End the override of a method. */
    recover: (method: string) => answers.delete(method),
  };
}

/** A problem response. */
export function problem(status: number, extensions: Record<string, JsonBodyType> = {}): Response {
  return HttpResponse.json({ title: "No", status, ...extensions }, { status });
}
