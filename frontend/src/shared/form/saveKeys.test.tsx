import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { FormEvent } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { saveByKeys } from "./saveKeys";

const submitted = vi.fn((event: FormEvent<HTMLFormElement>) => {
  event.preventDefault();
  return event.currentTarget.id;
});

beforeEach(() => {
  submitted.mockClear();
  return saveByKeys();
});

/** Return the ids of submitted forms. */
const sent = () => submitted.mock.results.map(({ value }) => value as string);

function Form({ id, isBusy = false }: { id: string; isBusy?: boolean }) {
  return (
    <form id={id} onSubmit={submitted}>
      <button type="button">Add Segment</button>
      <textarea aria-label={`Text of ${id}`} />
      <button type="submit" disabled={isBusy}>
        Save {id}
      </button>
    </form>
  );
}

test.each(["{Control>}s", "{Meta>}s", "{Control>}S", "{Control>}{Enter}", "{Meta>}{Enter}"])(
  "%s submits the focused form",
  async (keys) => {
    render(
      <>
        <Form id="one" />
        <Form id="other" />
      </>,
    );
    await userEvent.type(screen.getByLabelText("Text of other"), keys);
    expect(sent()).toEqual(["other"]);
  },
);

test.each(["s", "{Enter}", "{Control>}{Shift>}s", "{Control>}{Alt>}s", "{Control>}{Meta>}s"])(
  "%s submits nothing",
  async (keys) => {
    render(<Form id="one" />);
    await userEvent.type(screen.getByLabelText("Text of one"), keys);
    expect(sent()).toEqual([]);
  },
);

test("a screen's only form is submitted from anywhere, and the browser does not save the page", async () => {
  render(
    <main id="main">
      <button type="button">Elsewhere</button>
      <Form id="one" />
    </main>,
  );
  screen.getByRole("button", { name: "Elsewhere" }).focus();
  // Not prevented: `fireEvent` answers true.
  expect(
    fireEvent.keyDown(screen.getByRole("button", { name: "Elsewhere" }), { key: "s", ctrlKey: true }),
  ).toBe(false);
  expect(sent()).toEqual(["one"]);
});

test("a dialog's form is submitted by its button in the footer, and never the form behind the dialog", async () => {
  const { rerender } = render(
    <>
      <main id="main">
        <Form id="behind" />
      </main>
      <div role="dialog">
        <form id="asked" onSubmit={submitted} />
        <button type="button">Cancel</button>
        <button type="submit" form="asked">
          Save
        </button>
      </div>
    </>,
  );
  screen.getByRole("button", { name: "Cancel" }).focus();
  await userEvent.keyboard("{Control>}s");
  expect(sent()).toEqual(["asked"]);

  rerender(
    <>
      <main id="main">
        <Form id="behind" />
      </main>
      <div role="alertdialog">
        <button type="button">Cancel</button>
      </div>
    </>,
  );
  screen.getByRole("button", { name: "Cancel" }).focus();
  await userEvent.keyboard("{Control>}s");
  expect(sent()).toEqual(["asked"]);
});

test("a disabled button is not pressed, nor pressed again while the keys are held", async () => {
  const { rerender } = render(<Form id="one" isBusy />);
  const text = screen.getByLabelText("Text of one");
  await userEvent.type(text, "{Control>}s");
  expect(sent()).toEqual([]);
  rerender(<Form id="one" />);
  fireEvent.keyDown(text, { key: "s", ctrlKey: true, repeat: true });
  expect(sent()).toEqual([]);
});
