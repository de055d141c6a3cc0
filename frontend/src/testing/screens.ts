import { screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect } from "vitest";

/* What tests read off the screens, and how they choose from menus. */

export const textsOf = (elements: readonly HTMLElement[]) => elements.map(({ textContent }) => textContent);

/** The texts of the toasts, once there are some. */
export async function toasts(): Promise<(string | null)[]> {
  return textsOf(await within(screen.getByLabelText(/Notifications/)).findAllByRole("alert"));
}

/** Waits for a toast of exactly these words: its title, and its message if it has one. */
export async function expectToast(words: readonly (string | undefined)[]): Promise<void> {
  const title = await within(screen.getByLabelText(/Notifications/)).findByText(words[0] ?? "");
  expect(title.parentElement?.textContent).toBe(words.join(""));
}

/** What a record's page says of a field. */
export const read = (term: string) =>
  screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;

/** What a card above a list counts. */
export const figure = (label: string) =>
  screen.getByText(label, { selector: "dt" }).nextElementSibling?.textContent;

export const headers = () => textsOf(screen.getAllByRole("columnheader"));

export const cells = (row: HTMLElement) => textsOf(within(row).getAllByRole("cell"));

/** The cells of a table's rows, but for its head. */
export const rows = () => screen.getAllByRole("row").slice(1).map(cells);

/** What stands first in each row. */
export const names = () => rows().map(([first]) => first);

/** Opens the menu of a row; returns what it offers. */
export async function openMenu(user: UserEvent, name: string): Promise<(string | null)[]> {
  await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  return textsOf(await screen.findAllByRole("menuitem"));
}

export const choose = (user: UserEvent, item: string) =>
  user.click(screen.getByRole("menuitem", { name: item }));

/** Chooses from a row's menu what deletes the row, and answers the question. */
export async function deleteRow(user: UserEvent, name: string, title: string): Promise<HTMLElement> {
  await openMenu(user, name);
  await choose(user, title);
  const dialog = await screen.findByRole("alertdialog", { name: title });
  await user.click(within(dialog).getByRole("button", { name: title }));
  return dialog;
}

/** Replaces what is typed into a field. */
export async function replace(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.clear(field);
  if (text === "") return;
  await user.click(field);
  await user.paste(text);
}

/** A wait that the test ends. */
export function gate() {
  let release: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { passed, release };
}
