import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { storeSession } from "@/shared/auth/authStore";
import { signIn } from "@/testing/session";
import { dropLookedAt, forgetLookedAt, lookedAt, useLookingAt } from ".";

const SUB = "auth0|asha";

function Record({ id, isThere = true }: { id: string; isThere?: boolean }) {
  useLookingAt("driver", id, isThere);
  return null;
}

const ids = (sub = SUB) => lookedAt(sub).map(({ id }) => id);

test("the latest come first, each once, and no more than ten", () => {
  signIn();
  for (let number = 1; number <= 12; number += 1) render(<Record id={`EMP-${number}`} />);
  render(<Record id="EMP-5" />);
  expect(ids().slice(0, 3)).toEqual(["EMP-5", "EMP-12", "EMP-11"]);
  expect(ids()).toHaveLength(10);
});

test("what is not there is not looked at, and what is gone not again", () => {
  signIn();
  const { rerender } = render(<Record id="EMP-1" isThere={false} />);
  expect(ids()).toEqual([]);
  rerender(<Record id="EMP-1" />);
  expect(ids()).toEqual(["EMP-1"]);
  dropLookedAt("driver", "EMP-1");
  expect(ids()).toEqual([]);
});

test("each person has their own, until they sign out", () => {
  signIn();
  render(<Record id="EMP-1" />).unmount();
  storeSession({ id: "dev|rohan", sub: "dev|rohan" }, "token", null);
  render(<Record id="EMP-2" />).unmount();
  expect([ids(), ids("dev|rohan")]).toEqual([["EMP-1"], ["EMP-2"]]);
  forgetLookedAt();
  expect([ids(), ids("dev|rohan")]).toEqual([["EMP-1"], []]);
});

test("whatever the browser's storage has, it is read", () => {
  localStorage.setItem(`looked-at:${SUB}`, "{");
  expect(ids()).toEqual([]);
  localStorage.setItem(`looked-at:${SUB}`, '[{"kind": 1}, "x", {"kind": "driver", "id": "EMP-1"}]');
  expect(ids()).toEqual(["EMP-1"]);
});
