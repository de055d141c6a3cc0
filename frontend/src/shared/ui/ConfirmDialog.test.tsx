import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ConfirmDialog } from "./ConfirmDialog";

function open(isBusy = false) {
  const onConfirm = vi.fn();
  const onCancel = vi.fn();
  render(
    <ConfirmDialog
      isOpen
      title="Delete Driver"
      message="Are you sure?"
      confirmLabel="Delete Driver"
      busyLabel="Deleting..."
      isBusy={isBusy}
      onConfirm={onConfirm}
      onCancel={onCancel}
    />,
  );
  return { onConfirm, onCancel };
}

test("asks its question as an alert dialog", () => {
  open();
  const dialog = screen.getByRole("alertdialog", { name: "Delete Driver" });
  expect(dialog).toHaveAccessibleDescription("Are you sure?");
});

test("takes yes, no and Escape for an answer, but no click outside", async () => {
  const { onConfirm, onCancel } = open();
  const backdrop = document.querySelector(".bp6-dialog-container");
  if (!backdrop) throw new Error("The dialog has no container.");
  await userEvent.click(backdrop);
  expect(onCancel).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Delete Driver" }));
  expect(onConfirm).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await userEvent.keyboard("{Escape}");
  expect(onCancel).toHaveBeenCalledTimes(2);
});

test("says that it is busy and waits", async () => {
  const { onConfirm, onCancel } = open(true);
  await userEvent.click(screen.getByRole("button", { name: "Deleting..." }));
  await userEvent.keyboard("{Escape}");
  expect(onConfirm).not.toHaveBeenCalled();
  expect(onCancel).not.toHaveBeenCalled();
});
