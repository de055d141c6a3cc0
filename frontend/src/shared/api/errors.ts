/** A validation error of one field of a command. */
export interface ValidationError {
  /** Wire name of the field, e.g. `address_1`. */
  field: string;
  message: string;
  /** JSON pointer into the body that was sent, e.g. `#/address_1`. */
  pointer: string;
}

/** `application/problem+json` (RFC 9457) with extension members. */
export interface Problem {
  type?: string;
  title?: string;
  detail?: string;
  [extension: string]: unknown;
}

/** A failed request: refused, or without an answer. */
export abstract class RequestError extends Error {}

/** An answer with an error status. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";

  readonly status: number;
  /** The answer's problem document; empty if the body is none. */
  readonly problem: Problem;
  readonly validationErrors: readonly ValidationError[];
  /** The server answered before it had caught up with our last write. */
  readonly stale: boolean;

  constructor(status: number, problem: Problem, validationErrors: readonly ValidationError[], stale = false) {
    super(problem.detail ?? problem.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.problem = problem;
    this.validationErrors = validationErrors;
    this.stale = stale;
  }
}

/** No complete answer arrived: offline, refused connection, broken transfer. */
export class NetworkError extends RequestError {
  override readonly name = "NetworkError";

  constructor(options?: ErrorOptions) {
    super("The server could not be reached.", options);
  }
}

/** Return whether the requested record does not exist. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Return whether the server answered before it had caught up with our last write. */
export function saysStale(response: Response): boolean {
  return response.headers.get("Fleetlog-Consistency") === "stale";
}

/** Return whether the record was changed since the version that the request is based on. */
export function isOutdated(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 412;
}

/** Return the permissions that a refused request lacked; undefined for any other failure. */
export function missingPermissions(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  const listed = error.problem.missing_permissions;
  return Array.isArray(listed) ? listed.map(textOf) : undefined;
}

/** Parse an error answer, which need not be a problem document. */
export async function apiErrorFrom(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = isRecord(body) ? (body as Problem) : {};
  const listed = problem.validation_errors;
  const validationErrors = (Array.isArray(listed) ? listed : []).map((item: unknown) => {
    const { field, message, pointer } = isRecord(item) ? item : {};
    return { field: textOf(field), message: textOf(message), pointer: textOf(pointer) };
  });
  return new ApiError(response.status, problem, validationErrors, saysStale(response));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
