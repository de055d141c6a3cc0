import { act, fireEvent, render, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { TableSearch } from "./TableSearch";

beforeEach(() => {
  vi.useFakeTimers();
});

function open() {
  const onChange = vi.fn();
  const search = (value: string) => <TableSearch value={value} placeholder="Search" onChange={onChange} />;
  const { rerender } = render(search(""));
  const input = screen.getByRole("searchbox");
  return {
    onChange,
    input,
    type: (text: string) => {
      fireEvent.change(input, { target: { value: text } });
      act(() => vi.advanceTimersByTime(500));
    },
    /** The reported value, or another one, arrives from outside. */
    arrive: (value: string) => rerender(search(value)),
  };
}

test("a late report does not replace newer text", () => {
  const { input, onChange, type, arrive } = open();
  type("EMP");
  type("EMP-");
  arrive("EMP");
  expect(input).toHaveValue("EMP-");
  type("EMP-1");
  arrive("EMP-1");
  expect(input).toHaveValue("EMP-1");
  expect(onChange.mock.calls).toEqual([["EMP"], ["EMP-"], ["EMP-1"]]);
});

test("a change from outside replaces the input", () => {
  const { input, onChange, type, arrive } = open();
  type("EMP");
  arrive("EMP");
  arrive("");
  expect(input).toHaveValue("");
  arrive("from a link");
  expect(input).toHaveValue("from a link");
  expect(onChange).toHaveBeenCalledOnce();
});

test("text that was reverted before its report does not block a later change", () => {
  const { input, type, arrive } = open();
  type("a");
  type("");
  type("a");
  arrive("a");
  arrive("");
  expect(input).toHaveValue("");
});

test("text is not reported while the pointer is pressed, so that rows stay under it", () => {
  const { onChange, type } = open();
  fireEvent.pointerDown(document.body);
  type("EMP");
  expect(onChange).not.toHaveBeenCalled();
  fireEvent.pointerUp(document.body);
  act(() => vi.advanceTimersByTime(500));
  expect(onChange).toHaveBeenCalledExactlyOnceWith("EMP");
});

test("a press that opened a menu, whose end is not reported, does not block the search", () => {
  const { input, onChange, type } = open();
  fireEvent.pointerDown(document.body);
  fireEvent.keyDown(input, { key: "E" });
  type("E");
  expect(onChange).toHaveBeenCalledExactlyOnceWith("E");
});
