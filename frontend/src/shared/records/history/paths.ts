import { type RecordPaths, viewPath } from "../paths";

/** A point of a record's past: one of its versions, or a moment. */
export type Point = { version: number } | { asOf: string };

/** The query that asks the API for a record at a point; nothing for the present. */
export function queryOf(point: Point | undefined): string {
  if (point === undefined) return "";
  return "version" in point ? `?version=${point.version}` : `?as_of=${encodeURIComponent(point.asOf)}`;
}

/** The version that an address asks for; undefined where it asks for none that could be. */
export function readVersion(params: URLSearchParams): number | undefined {
  const text = params.get("version") ?? "";
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

/** The screen of a record at one of its versions. */
export function versionAddress(paths: RecordPaths, id: string, version: number): string {
  return `${viewPath(paths, id)}?version=${version}`;
}

/** Two versions to be compared, as addresses have them: the older one first, `2-5`. */
export function readComparison(params: URLSearchParams): readonly [number, number] | undefined {
  const [, first, second] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(params.get("compare") ?? "") ?? [];
  return first === undefined || second === undefined ? undefined : [Number(first), Number(second)];
}
