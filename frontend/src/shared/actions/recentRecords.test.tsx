import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { storeSession } from "@/shared/auth/authStore";
import { signIn } from "@/testing/session";
import { clearRecentRecords, recentRecords, removeRecentRecord, useRecordVisit } from ".";

const SUB = "auth0|asha";

function Record({ id, isLoaded = true }: { id: string; isLoaded?: boolean }) {
  useRecordVisit("driver", id, isLoaded);
  return null;
}

const ids = (sub = SUB) => recentRecords(sub).map(({ id }) => id);

test("recent records are the latest ten, each once", () => {
  signIn();
  for (let number = 1; number <= 12; number += 1) render(<Record id={`EMP-${number}`} />);
  render(<Record id="EMP-5" />);
  expect(ids().slice(0, 3)).toEqual(["EMP-5", "EMP-12", "EMP-11"]);
  expect(ids()).toHaveLength(10);
});

test("a record is added once it has loaded, and removed when deleted", () => {
  signIn();
  const { rerender } = render(<Record id="EMP-1" isLoaded={false} />);
  expect(ids()).toEqual([]);
  rerender(<Record id="EMP-1" />);
  expect(ids()).toEqual(["EMP-1"]);
  removeRecentRecord("driver", "EMP-1");
  expect(ids()).toEqual([]);
});

test("each user has their own recent records until sign-out", () => {
  signIn();
  render(<Record id="EMP-1" />).unmount();
  storeSession({ id: "dev|rohan", sub: "dev|rohan" }, "token", null);
  render(<Record id="EMP-2" />).unmount();
  expect([ids(), ids("dev|rohan")]).toEqual([["EMP-1"], ["EMP-2"]]);
  clearRecentRecords();
  expect([ids(), ids("dev|rohan")]).toEqual([["EMP-1"], []]);
});

test("invalid content of the storage is ignored", () => {
  localStorage.setItem(`looked-at:${SUB}`, "{");
  expect(ids()).toEqual([]);
  localStorage.setItem(`looked-at:${SUB}`, '[{"kind": 1}, "x", {"kind": "driver", "id": "EMP-1"}]');
  expect(ids()).toEqual(["EMP-1"]);
});
