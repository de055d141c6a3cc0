import { Button } from "@blueprintjs/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { KeyboardEvent } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ignoreStrayKeyUps } from "./browser";

let stop: () => void;
beforeEach(() => {
  stop = ignoreStrayKeyUps();
});
afterEach(() => stop());

test("releasing a key does not press a button if the key was pressed on another element", async () => {
  const onPress = vi.fn();
  const user = userEvent.setup();
  const moveOn = (event: KeyboardEvent) => {
    event.preventDefault();
    screen.getByRole("button").focus();
  };
  render(
    <>
      <input aria-label="Name" onKeyDown={moveOn} />
      <Button text="Edit" onClick={onPress} />
    </>,
  );
  await user.click(screen.getByRole("textbox"));
  await user.keyboard("{Enter>}");
  expect(screen.getByRole("button")).toHaveFocus();
  await user.keyboard("{/Enter}");
  expect(onPress).not.toHaveBeenCalled();
  await user.keyboard("{Enter}");
  expect(onPress).toHaveBeenCalledOnce();
});
