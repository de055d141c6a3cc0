import { currentAccessToken, permissionRefused, renewAccessToken } from "@/shared/auth/session";
import { runtimeConfig } from "@/shared/config/runtime";
import { apiErrorFrom, missingPermissions, NetworkError, saysStale } from "./errors";

export {
  ApiError,
  isNotFound,
  isOutdated,
  NetworkError,
  RequestError,
  type ValidationError,
} from "./errors";

export interface ApiResponse<T> {
  data: T;
  status: number;
  /** The record's strong ETag, without `W/`: pass it back as `ifMatch`. */
  etag: string | undefined;
  /** The version that a command created; undefined where nothing changed. */
  made?: number | undefined;
  /** The fields that a command gave the value of another record, as the operator allows. */
  duplicates?: readonly Duplicate[];
  /** The server answered before it had caught up with our last write. */
  stale: boolean;
}

export interface Duplicate {
  field: string;
  /** The other record's id; undefined if the user may not see it. */
  record: string | undefined;
}

export interface RequestOptions {
  /** ETag the change is based on; a newer record makes the server answer 412. */
  ifMatch?: string | undefined;
  /** One per intended command: a retry with the same key gets the first answer. */
  idempotencyKey?: string | undefined;
  /** The reason for a change, one line of at most 500 characters; stored with the change. */
  reason?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface QueryOptions<T> extends RequestOptions {
  /** An earlier answer, returned when the server answers 304. */
  known?: ApiResponse<T> | undefined;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * The only client of the product's APIs. It returns an answer or throws {@link ApiError} or {@link NetworkError}; it
 * never shows a toast and sets no timeout.
 */
export const apiClient = {
  get: <T>(path: string, options?: QueryOptions<T>) => request<T>("GET", path, undefined, options),
  post: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("POST", path, body, options),
  put: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("PUT", path, body, options),
  delete: <T = undefined>(path: string, options?: RequestOptions) =>
    request<T>("DELETE", path, undefined, options),
  /** Download a file of any size into the browser's memory. */
  download,
};

const NOT_MODIFIED = 304;

async function request<T>(
  method: Method,
  path: string,
  body: unknown,
  options: QueryOptions<T> = {},
): Promise<ApiResponse<T>> {
  const { known } = options;
  const response = await answerTo(method, path, body, options);
  // A proxy that compresses an answer weakens its tag.
  const etag = response.headers.get("ETag")?.replace(/^W\//, "");
  const stale = saysStale(response);
  if (known && response.status === NOT_MODIFIED) return known.stale === stale ? known : { ...known, stale };
  const version = response.headers.get("Fleetlog-Version");
  const made = version === null ? undefined : Number(version);
  const duplicates = duplicatesIn(response.headers.get("Fleetlog-Duplicates"));
  const text = await whole(response.text(), options.signal);
  try {
    const data = (text === "" ? undefined : JSON.parse(text)) as T;
    return { data, status: response.status, stale, etag, made, duplicates };
  } catch (cause) {
    throw new NetworkError({ cause });
  }
}

/** Read a list of names, each with a record as its parameter (RFC 9651). */
function duplicatesIn(header: string | null): readonly Duplicate[] {
  return [...(header ?? "").matchAll(/(\w+)(?:;record="([^"]*)")?/g)].map(([, field = "", record]) => ({
    field,
    record,
  }));
}

interface DownloadOptions extends Pick<RequestOptions, "signal"> {
  /** Called before the first chunk with the headers of the answer. */
  onBegin?: (headers: Headers) => void;
  /** Called after each chunk with the bytes received. */
  onProgress?: (bytes: number) => void;
}

/**
 * @returns the name is undefined where the server gives none.
 */
async function download(
  path: string,
  { signal, onBegin, onProgress }: DownloadOptions = {},
): Promise<{ content: Blob; name: string | undefined }> {
  const { body, headers } = await answerTo("GET", path, undefined, { signal }, "*/*");
  onBegin?.(headers);
  const name = /filename="([^"]+)"/.exec(headers.get("Content-Disposition") ?? "")?.[1];
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, passed) => {
      bytes += piece.length;
      onProgress?.(bytes);
      passed.enqueue(piece);
    },
  });
  const counted = new Response(body?.pipeThrough(counter), { headers });
  return { content: await whole(counted.blob(), signal), name };
}

/** Return a successful response; renew the access token once after a 401. */
async function answerTo(
  method: Method,
  path: string,
  body: unknown,
  options: QueryOptions<unknown>,
  accept?: string,
): Promise<Response> {
  const token = await currentAccessToken();
  let response = await send(method, path, body, options, token, accept);
  if (response.status === 401 && token !== null) {
    // A 401 was sent before anything was done, so one retry is safe.
    const fresh = await renewAccessToken();
    if (fresh !== null && fresh !== token) {
      response = await send(method, path, body, options, fresh, accept);
    }
  }
  if (!response.ok && response.status !== NOT_MODIFIED) {
    const error = await apiErrorFrom(response);
    if (missingPermissions(error) !== undefined) permissionRefused();
    throw error;
  }
  return response;
}

async function send(
  method: Method,
  path: string,
  body: unknown,
  { ifMatch, known, idempotencyKey, reason, signal }: QueryOptions<unknown>,
  token: string | null,
  accept = "application/json",
): Promise<Response> {
  const headers = new Headers({ Accept: accept, "Content-Type": "application/json" });
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (ifMatch !== undefined) headers.set("If-Match", ifMatch);
  if (known?.etag !== undefined) headers.set("If-None-Match", known.etag);
  if (idempotencyKey !== undefined) headers.set("Idempotency-Key", idempotencyKey);
  // Header values are one line.
  if (reason !== undefined)
    headers.set("X-Change-Reason", encodeURIComponent(reason.replaceAll(/\p{Cc}+/gu, " ")));
  // In the browser's disk cache an answer would outlive the erasure of personal data.
  const cache = "no-store";
  const init: RequestInit = { method, headers, cache, credentials: "include", signal: signal ?? null };
  if (body !== undefined) init.body = JSON.stringify(body);
  try {
    return await fetch(runtimeConfig().apiBase + path, init);
  } catch (cause) {
    throw failureOf(cause, signal);
  }
}

async function whole<Body>(body: Promise<Body>, signal: AbortSignal | undefined): Promise<Body> {
  try {
    return await body;
  } catch (cause) {
    throw failureOf(cause, signal);
  }
}

/** Return the caller's abort unchanged; any other failure is a network error. */
function failureOf(cause: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? cause : new NetworkError({ cause });
}
