import { screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect } from "vitest";

/* Helpers to read screens and use menus. */

export const textsOf = (elements: readonly HTMLElement[]) => elements.map(({ textContent }) => textContent);

/** The texts of the failure toasts, once present. */
export async function toasts(): Promise<(string | null)[]> {
  return textsOf(await within(screen.getByLabelText(/^Notifications/)).findAllByRole("alert"));
}

/** Wait for a toast that begins with this title and message. */
export async function expectToast(words: readonly (string | undefined)[]): Promise<void> {
  const title = await within(screen.getByLabelText(/^Notifications/)).findByText(words[0] ?? "");
  expect(title.parentElement?.textContent?.startsWith(words.join(""))).toBe(true);
}

/** The value of a field on a record's page. */
export const read = (term: string) =>
  screen.getByText(term, { selector: "dt" }).nextElementSibling?.textContent;

/** The figure of a card above a list. */
export const figure = (label: string) =>
  screen.getByText(label, { selector: "dt" }).nextElementSibling?.textContent;

export const headers = () => textsOf(screen.getAllByRole("columnheader"));

export const cells = (row: HTMLElement) => textsOf(within(row).getAllByRole("cell"));

/** The cells of a table's rows without the head. */
export const rows = () => screen.getAllByRole("row").slice(1).map(cells);

/** The first cell of each row. */
export const names = () => rows().map(([first]) => first);

/** Open the menu of a row. Returns its items. */
export async function openMenu(user: UserEvent, name: string): Promise<(string | null)[]> {
  await user.click(await screen.findByRole("button", { name: `Actions for ${name}` }));
  return textsOf(await screen.findAllByRole("menuitem"));
}

export const choose = (user: UserEvent, item: string) =>
  user.click(screen.getByRole("menuitem", { name: item }));

/** Delete a row by its menu and confirm. */
export async function deleteRow(user: UserEvent, name: string, title: string): Promise<HTMLElement> {
  await openMenu(user, name);
  await choose(user, title);
  const dialog = await screen.findByRole("alertdialog", { name: title });
  await user.click(within(dialog).getByRole("button", { name: title }));
  return dialog;
}

/** Replace a field's text. */
export async function replace(user: UserEvent, field: HTMLElement, text: string): Promise<void> {
  await user.clear(field);
  if (text === "") return;
  await user.click(field);
  await user.paste(text);
}

/** A promise that the test resolves. */
export function gate() {
  let release: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { passed, release };
}
