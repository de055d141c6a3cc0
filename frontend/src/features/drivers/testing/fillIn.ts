import { screen } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { fromWire, type WireDriver } from "../mapper";
import { driverSections } from "../sections";

/** Types a driver into the form, as far as the form asks for it. */
export async function fillIn(user: UserEvent, driver: WireDriver): Promise<void> {
  const values = fromWire(driver);
  for (const { name, label, required } of driverSections.flatMap(({ fields }) => fields)) {
    const input = screen.queryByLabelText(required ? `${label}*` : label, { selector: "input, textarea" });
    if (input === null || values[name] === "") continue;
    await user.clear(input);
    await user.click(input);
    await user.paste(values[name]);
  }
}
