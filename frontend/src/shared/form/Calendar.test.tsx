import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { DateInput } from "./DateInput";

function Example() {
  const [day, setDay] = useState("2026-11-30");
  return <DateInput aria-label="Expiry" value={day} onChange={setDay} />;
}

test("a day is chosen in the calendar by keys, and Escape leaves it", async () => {
  const user = userEvent.setup();
  render(<Example />);
  const input = screen.getByRole("textbox");
  await user.click(input);
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(await screen.findByText("November 2026")).toBeVisible();
  expect(screen.getByRole("button", { name: "30 Nov 2026" })).toHaveFocus();
  await user.keyboard("{ArrowRight}");
  expect(await screen.findByText("December 2026")).toBeVisible();
  await user.keyboard("{PageDown}{ArrowDown}{Enter}");
  expect(input).toHaveValue("8 Jan 2027");
  expect(input).toHaveFocus();
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}{Escape}");
  expect(screen.queryByRole("grid")).toBeNull();
  expect(input).toHaveFocus();
});

test("the page does not scroll when the calendar opens", async () => {
  const user = userEvent.setup();
  render(<Example />);
  await user.click(screen.getByRole("textbox"));
  const focus = vi.spyOn(HTMLElement.prototype, "focus");
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  expect(await screen.findByRole("button", { name: "30 Nov 2026" })).toHaveFocus();
  expect(focus.mock.calls).toEqual([[{ preventScroll: true }]]);
});
