/** One refused field of a command, as the server names it. */
export interface ValidationError {
  /** Wire name of the field, e.g. `address_1`. */
  field: string;
  message: string;
  /** JSON pointer into the body that was sent, e.g. `#/address_1`. */
  pointer: string;
}

/** `application/problem+json` (RFC 9457), with our extension members where an answer has them. */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  request_id?: string;
  [extension: string]: unknown;
}

/** A request that brought no success: either an answer that says no, or no answer at all. */
export abstract class RequestError extends Error {}

/** The server answered, and the answer is not a success. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";

  readonly status: number;
  /** The answer's problem document; empty when the body was none. */
  readonly problem: Problem;
  readonly validationErrors: readonly ValidationError[];
  /** The server had not caught up with our own last write when it answered so. */
  readonly stale: boolean;

  constructor(status: number, problem: Problem, validationErrors: readonly ValidationError[], stale = false) {
    super(problem.detail ?? problem.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.problem = problem;
    this.validationErrors = validationErrors;
    this.stale = stale;
  }
}

/** No (whole) answer arrived: offline, refused connection, broken transfer. */
export class NetworkError extends RequestError {
  override readonly name = "NetworkError";

  constructor(options?: ErrorOptions) {
    super("The server could not be reached.", options);
  }
}

/** Whether the record asked for does not exist (any more). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the server says that it has not caught up with our own last write. */
export function saysStale(response: Response): boolean {
  return response.headers.get("Fleetlog-Consistency") === "stale";
}

/** Whether an answer that says no may be another one as soon as the server has caught up. */
export function isStaleError(error: unknown): boolean {
  return error instanceof ApiError && error.stale;
}

/** Whether the record has been changed since the version that the request built on. */
export function isOutdated(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 412;
}

/** The permissions for want of which the API refused a request; undefined for any other failure. */
export function missingPermissions(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ApiError) || error.status !== 403) return undefined;
  const listed = error.problem.missing_permissions;
  return Array.isArray(listed) ? listed.map(textOf) : undefined;
}

/** Why the API refused a change of a record, in words for the user; undefined for any other failure. */
export function ruleText(error: unknown): string | undefined {
  return error instanceof ApiError && RULES.includes(error.problem.type ?? "") ? error.message : undefined;
}

/** The problem types whose detail is meant for the user. */
const RULES: readonly string[] = ["urn:fleetlog:problem:restricted", "urn:fleetlog:problem:rule-broken"];

/** Reads an error answer; anything that is not a problem document leaves the status to speak. */
export async function apiErrorFrom(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = isRecord(body) ? (body as Problem) : {};
  const listed = problem.validation_errors;
  const validationErrors = Array.isArray(listed) ? listed.map(validationErrorFrom) : [];
  return new ApiError(response.status, problem, validationErrors, saysStale(response));
}

function validationErrorFrom(item: unknown): ValidationError {
  const { field, message, pointer } = isRecord(item) ? item : {};
  return { field: textOf(field), message: textOf(message), pointer: textOf(pointer) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
