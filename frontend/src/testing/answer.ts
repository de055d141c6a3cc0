import { HttpResponse, http, type JsonBodyType } from "msw";
import { server } from "./server";

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
  /** The reason given for a change. */
  reason: string;
}

export async function seenRequest(request: Request): Promise<SeenRequest> {
  const { method, headers, url } = request;
  const { pathname, searchParams } = new URL(url);
  const text = await request.clone().text();
  return {
    ...{ method, headers, path: pathname, query: searchParams },
    body: text === "" ? undefined : JSON.parse(text),
    reason: decodeURIComponent(headers.get("X-Change-Reason") ?? ""),
  };
}

type Reply = Response | object | null | undefined;

/**
 * Answer the API's requests of a method and path, such as `GET v1/drivers`, with a response or an object as JSON; null is an
 * empty response, and undefined leaves a request to other mocks. Returns the requests.
 */
export function answer(what: string, reply: (seen: SeenRequest) => Reply | Promise<Reply>): SeenRequest[] {
  const [method = "", path] = what.split(" ");
  const requests: SeenRequest[] = [];
  server.use(
    http[method.toLowerCase() as "get"](`*/api/${path}`, async ({ request }) => {
      const seen = await seenRequest(request);
      requests.push(seen);
      const given = await reply(seen);
      if (given === null) return new HttpResponse(null, { status: 204 });
      return given === undefined || given instanceof Response
        ? given
        : HttpResponse.json(given as JsonBodyType);
    }),
  );
  return requests;
}
