import { act, renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import type { ReactNode } from "react";
import { SWRConfig } from "swr";
import { beforeEach, expect, test, vi } from "vitest";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { queryDefaults } from "./queryDefaults";
import { useApiQuery } from "./useApiQuery";

let record: { version: number; requests: number };

beforeEach(() => {
  signIn();
  record = { version: 1, requests: 0 };
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.use(
    http.get("*/api/thing", () => {
      record.requests += 1;
      return HttpResponse.json({ version: record.version }, { headers: { ETag: `"${record.version}"` } });
    }),
  );
});

async function open() {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <SWRConfig value={{ ...queryDefaults, provider: () => new Map() }}>{children}</SWRConfig>
  );
  const { result } = renderHook(() => useApiQuery<{ version: number }>("/api/thing"), { wrapper });
  await waitFor(() => expect(result.current.data).toEqual({ version: 1 }));
  return result;
}

const halfAMinute = () => act(() => vi.advanceTimersByTimeAsync(30_000));

test("an open screen shows changes after the refresh interval", async () => {
  const result = await open();
  record.version = 2;
  await halfAMinute();
  await waitFor(() => expect(result.current.data).toEqual({ version: 2 }));
});

test("an unchanged answer keeps its identity", async () => {
  const result = await open();
  const first = result.current.answer;
  await halfAMinute();
  await waitFor(() => expect(record.requests).toBe(2));
  await halfAMinute();
  expect(result.current.answer).toBe(first);
});
