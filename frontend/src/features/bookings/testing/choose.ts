import { screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";

/** Chooses in a searchable select by what its option is called, inside of an element or anywhere. */
export async function choose(
  user: UserEvent,
  field: string,
  option: string,
  scope: HTMLElement = document.body,
): Promise<void> {
  await user.click(within(scope).getByRole("combobox", { name: field }));
  const list = await screen.findByRole("listbox");
  await user.click(within(list).getByText(option, { exact: true }));
}
