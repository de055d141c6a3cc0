import { renderHook } from "@testing-library/react";
import type { RouteObject } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { setOnline } from "@/testing/connection";
import { signIn } from "@/testing/session";
import { useScreensAhead } from "./screensAhead";

const NOTHING_MORE: [] = [];
const Screen = () => null;
const first = vi.fn(async () => ({ Component: Screen }));
const inner = vi.fn(async () => ({ Component: Screen }));
const last = vi.fn(async () => ({ Component: Screen }));
const routes: RouteObject[] = [
  { path: "/a", lazy: first },
  {
    children: [
      { path: "/b", lazy: inner },
      { path: "*", element: null },
    ],
  },
  { path: "/c", lazy: last },
];

beforeEach(() => {
  vi.useFakeTimers();
  for (const load of [first, inner, last]) load.mockReset().mockResolvedValue({ Component: Screen });
});

const aMinute = () => vi.advanceTimersByTimeAsync(60_000);

test("the code of all screens is fetched once the first one has had its time", async () => {
  signIn();
  renderHook(() => useScreensAhead(routes, NOTHING_MORE));
  await vi.advanceTimersByTimeAsync(3_000);
  expect(first).not.toHaveBeenCalled();
  await aMinute();
  for (const load of [first, inner, last]) expect(load).toHaveBeenCalledOnce();
});

test("nothing is preloaded before sign-in", async () => {
  renderHook(() => useScreensAhead(routes, NOTHING_MORE));
  await aMinute();
  expect(first).not.toHaveBeenCalled();
});

test("preloading interrupted offline continues after reconnecting, with the missing style sheets", async () => {
  signIn();
  inner.mockRejectedValueOnce(new Error("Unable to preload CSS for /assets/b.css"));
  renderHook(() => useScreensAhead(routes, NOTHING_MORE));
  await aMinute();
  expect(last).not.toHaveBeenCalled();
  const broken = document.createElement("link");
  Object.assign(broken, { rel: "stylesheet", href: "data:text/css," });
  document.head.append(broken);
  setOnline(true);
  expect(broken.isConnected).toBe(false);
  expect(document.head.querySelector('link[href="data:text/css,"]')).not.toBeNull();
  await aMinute();
  for (const load of [first, inner, last]) expect(load).toHaveBeenCalled();
  expect(first).toHaveBeenCalledOnce();
});
