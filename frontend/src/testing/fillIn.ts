import { screen } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { askedFields, type FormValues, type SectionSpec } from "@/shared/form";

/** Fill in the add form. */
export async function fillIn(
  user: UserEvent,
  sections: readonly SectionSpec[],
  values: FormValues,
): Promise<void> {
  for (const { name, label, required } of askedFields(sections, false)) {
    const input = screen.getByLabelText(required ? `${label}*` : label);
    const value = values[name] ?? "";
    if (input instanceof HTMLSelectElement) {
      await user.selectOptions(input, value);
    } else if (value !== "") {
      await user.clear(input);
      await user.click(input);
      await user.paste(value);
    }
  }
}
