import { wireName } from "@/shared/form";
import type { FieldDeclaration } from "./fields";

/** What of a record is to become what, for the server: a merge patch (RFC 7396). Empty text empties a field. */
export function patchOf(told: readonly (readonly [FieldDeclaration, string])[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  // Objects before their members.
  for (const [field, text] of told.toSorted(([one], [other]) => depthOf(one) - depthOf(other))) {
    put(patch, wireName(field).split("."), sentAs(field, text));
  }
  return patch;
}

function sentAs({ kind, required, write }: FieldDeclaration, text: string): unknown {
  if (text === "") return required === undefined || kind === "number" ? null : "";
  if (write) return write(text, undefined);
  return kind === "number" ? Number(text) : text;
}

function depthOf(field: FieldDeclaration): number {
  return wireName(field).split(".").length;
}

function put(values: Record<string, unknown>, [name = "", member]: readonly string[], value: unknown): void {
  if (member === undefined) values[name] = value;
  else values[name] = { ...(values[name] as object | null | undefined), [member]: value };
}
