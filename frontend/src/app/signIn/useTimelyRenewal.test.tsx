import { renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { registerTokenRenewal } from "@/shared/auth/session";
import { signIn, tokenExpiringIn } from "@/testing/session";
import { useTimelyRenewal } from "./SessionKeeper";

let renew = vi.fn<() => Promise<string | null>>();
let unregister = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  renew = vi.fn(async () => signIn(tokenExpiringIn(600)));
  unregister = registerTokenRenewal(renew);
});

afterEach(() => {
  unregister();
});

test("a token is renewed one minute before it expires, and the next one in its turn", async () => {
  signIn(tokenExpiringIn(600));
  renderHook(useTimelyRenewal);
  await vi.advanceTimersByTimeAsync(539_000);
  expect(renew).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(renew).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(541_000);
  expect(renew).toHaveBeenCalledTimes(2);
});

test("a renewal that fails is tried again, calmly", async () => {
  signIn(tokenExpiringIn(90));
  renew.mockResolvedValue(null);
  renderHook(useTimelyRenewal);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(renew).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(renew).toHaveBeenCalledTimes(2);
});

test("a token that expired while the machine slept is renewed when it wakes", async () => {
  signIn(tokenExpiringIn(600));
  renderHook(useTimelyRenewal);
  vi.setSystemTime(Date.now() + 3_600_000);
  window.dispatchEvent(new Event("online"));
  expect(renew).toHaveBeenCalledOnce();
});

test("before sign-in, nothing is renewed", async () => {
  renderHook(useTimelyRenewal);
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(renew).not.toHaveBeenCalled();
});

test("leaving stops the clock", async () => {
  signIn(tokenExpiringIn(600));
  renderHook(useTimelyRenewal).unmount();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(renew).not.toHaveBeenCalled();
});
