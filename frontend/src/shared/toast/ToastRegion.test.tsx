import { act, fireEvent, render, screen, within } from "@testing-library/react";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ToastRegion, toast, useFailureToast } from ".";

beforeEach(() => {
  vi.useFakeTimers();
  render(
    <>
      <button type="button">elsewhere</button>
      <ToastRegion />
    </>,
  );
});

const show = (...titles: string[]) => act(() => titles.forEach((title) => void toast.show({ title })));
const shown = () => [...region().querySelectorAll("[data-tone]")].map((element) => element.textContent);
const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
const region = () => screen.getByRole("region", { name: "Notifications (Alt+T)" });

test("a toast shows title and message for four and a half seconds", async () => {
  act(() => void toast.show({ title: "Driver Added", message: "Asha is on the list." }));
  expect(shown()).toEqual(["Driver AddedAsha is on the list."]);
  await pass(4400);
  expect(shown()).toHaveLength(1);
  await pass(200);
  expect(shown()).toEqual([]);
});

test("at most three toasts are visible, and an older one reappears when there is room", async () => {
  show("one", "two", "three", "four");
  expect(shown()).toEqual(["two", "three", "four"]);
  await pass(4600);
  expect(shown()).toEqual(["one"]);
  await pass(4600);
  expect(shown()).toEqual([]);
});

test("timers pause while toasts are hovered", async () => {
  show("one");
  await pass(4000);
  fireEvent.mouseEnter(region());
  await pass(60_000);
  expect(shown()).toEqual(["one"]);
  fireEvent.mouseLeave(region());
  await pass(600);
  expect(shown()).toEqual([]);
});

test("a failure is announced immediately, other toasts politely", () => {
  show("Driver Added");
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.getByText("Driver Added").closest("[aria-live=polite]")).not.toBeNull();
  act(() => void toast.show({ title: "Failed to delete driver", intent: "danger" }));
  expect(screen.getByRole("alert")).toHaveTextContent("Failed to delete driver");
});

test("after dismissing a toast, later ones still time out", async () => {
  show("one");
  fireEvent.mouseEnter(region());
  fireEvent.click(screen.getByRole("button", { name: "Dismiss notification" }));
  expect(shown()).toEqual([]);
  show("two");
  await pass(4600);
  expect(shown()).toEqual([]);
});

test("a toast's action runs once, also by keyboard, and removes the toast", async () => {
  const elsewhere = screen.getByRole("button", { name: "elsewhere" });
  const onSelect = vi.fn();
  elsewhere.focus();
  act(
    () => void toast.show({ title: "Driver Updated", record: "Asha", actions: [{ text: "Undo", onSelect }] }),
  );
  await pass(8000);
  fireEvent.keyDown(elsewhere, { altKey: true, key: "t", code: "KeyT" });
  const undo = within(region()).getByRole("button", { name: "Undo: Driver Updated Asha" });
  act(() => undo.focus());
  await pass(60_000);
  fireEvent.click(undo);
  expect(onSelect).toHaveBeenCalledTimes(1);
  expect(shown()).toEqual([]);
  expect(elsewhere).toHaveFocus();
});

test("Alt+T focuses the toasts for any typed character, and Escape returns the focus", () => {
  const elsewhere = screen.getByRole("button", { name: "elsewhere" });
  elsewhere.focus();
  show("one");
  fireEvent.keyDown(elsewhere, { altKey: true, key: "†", code: "KeyT" });
  expect(region()).toHaveFocus();
  fireEvent.keyDown(region(), { key: "Escape" });
  expect(elsewhere).toHaveFocus();
});

test("dismissing by keyboard keeps the focus on the toasts, and returns it after the last", () => {
  const elsewhere = screen.getByRole("button", { name: "elsewhere" });
  elsewhere.focus();
  show("one", "two");
  fireEvent.keyDown(elsewhere, { altKey: true, key: "t", code: "KeyT" });
  const dismissFirst = () => {
    const [button] = screen.getAllByRole("button", { name: "Dismiss notification" });
    act(() => button?.focus());
    fireEvent.click(button ?? region());
  };
  dismissFirst();
  expect(region()).toHaveFocus();
  dismissFirst();
  expect(elsewhere).toHaveFocus();
});

test("toasts rise above a list's foot at the end of the screen", () => {
  const foot = document.body.appendChild(document.createElement("div"));
  onTestFinished(() => foot.remove());
  foot.dataset.aboveToasts = "";
  const top = window.innerHeight - 60;
  foot.getBoundingClientRect = () => new DOMRect(0, top, 100, 40);
  Object.defineProperty(region(), "offsetHeight", { value: 100 });
  show("one");
  expect(region().style.bottom).toBe("60px");
});

test("a failed load is not reported in a toast while offline, which a notice says", () => {
  const Failing = () => {
    useFailureToast(new Error(), "Error", "Failed to load drivers. Please try again.");
    return null;
  };
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const { unmount } = render(<Failing />);
  expect(shown()).toEqual([]);
  unmount();
  vi.restoreAllMocks();
  render(<Failing />);
  expect(shown()).toHaveLength(1);
});
