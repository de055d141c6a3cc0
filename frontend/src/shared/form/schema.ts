import { z } from "@/shared/config/zod";
import { hasControls, NO_CONTROLS } from "@/shared/format/controls";
import { dayProblem } from "./dayText";
import { type FieldSpec, fieldsOf, type HiddenNames, NOTHING_HIDDEN, type SectionSpec } from "./fields";
import { parseJson } from "./jsonText";
import { optionalText, requiredText } from "./rules";

/** Return a form's validation schema. Text is trimmed, and masked fields are not validated. */
export function schemaOf(
  sections: readonly SectionSpec[],
  hidden: HiddenNames = NOTHING_HIDDEN,
  isExisting = false,
) {
  const ruled = fieldsOf(sections).filter(({ name }) => !hidden.has(name));
  const shape = Object.fromEntries(ruled.map((field) => [field.name, ruleOf(field, isExisting)]));
  return z.object(shape) as z.ZodMiniObject<Record<string, z.ZodMiniType<string, string>>>;
}

function ruleOf(
  { kind, choices, isMany, required, rules: all = [], readOnly, expires }: FieldSpec,
  isExisting: boolean,
) {
  if (choices && !isMany) return z.enum(choices);
  const rules = all.filter(({ isForNew }) => !(isForNew && isExisting));
  // JSON keeps its layout.
  if (readOnly) return z.string().check(...rules.map(checkOf));
  if (kind === "json") return z.string().check(...rules.map(checkOf), noControlsInJson);
  if (kind === "date") return typed(kind, required).check(aDay(expires), ...rules.map(checkOf));
  return typed(kind, required).check(...rules.map(checkOf));
}

const aDay = (expires: boolean | undefined) =>
  z.refine<string>((text) => dayProblem(text, expires) === undefined, {
    error: ({ input }) => dayProblem(String(input), expires),
    abort: true,
  });

const noControlsInJson = z.refine<string>((text) => !hasControls(parseJson(text)), NO_CONTROLS);

function typed(kind: FieldSpec["kind"], required: string | undefined) {
  if (required === undefined) return optionalText;
  return kind === "email" ? z.string().check(z.trim(), z.email(required)) : requiredText(required);
}

function checkOf({ holds, message }: NonNullable<FieldSpec["rules"]>[number]) {
  return z.refine<string>(holds, { message, abort: true });
}
