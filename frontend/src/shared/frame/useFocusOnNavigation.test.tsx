import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useRef } from "react";
import { Link, MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { useFocusOnNavigation } from "./MainArea";

/* A screen that comes takes the focus, as a page load would. */

function Frame() {
  const main = useRef<HTMLElement>(null);
  useFocusOnNavigation(main);
  return (
    <>
      <Link to="/next">Next</Link>
      <Link to="/last" onClick={() => screen.getByRole("textbox").focus()}>
        Last
      </Link>
      <main ref={main} tabIndex={-1} />
      <input aria-label="Search or go to" />
    </>
  );
}

test("a new screen is focused, unless somebody types elsewhere by then", async () => {
  const user = userEvent.setup();
  render(<Frame />, { wrapper: MemoryRouter });
  await user.click(screen.getByRole("link", { name: "Next" }));
  expect(screen.getByRole("main")).toHaveFocus();
  await user.click(screen.getByRole("link", { name: "Last" }));
  await user.keyboard("EMP-1");
  expect(screen.getByRole("textbox")).toHaveValue("EMP-1");
});
