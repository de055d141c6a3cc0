import { act, render, screen, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { SWRConfig } from "swr";
import { beforeEach, expect, test, vi } from "vitest";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { useApiPages } from "@/shared/api/useApiPages";
import { useApiQuery } from "@/shared/api/useApiQuery";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { StaleNotice } from "./notices";

const stale = { "Fleetlog-Consistency": "stale" };
let answer: () => Response;

beforeEach(() => {
  signIn();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  server.use(http.get("*/api/v1/drivers", () => answer()));
});

const OneAnswer = () => <p>{useApiQuery("/api/v1/drivers").data ? "shown" : "empty"}</p>;
const Pages = () => <p>{useApiPages("/api/v1/drivers?limit=2").items ? "shown" : "empty"}</p>;

function open(Screen: () => React.JSX.Element) {
  return render(
    <SWRConfig value={{ ...queryDefaults, provider: () => new Map(), dedupingInterval: 0 }}>
      <StaleNotice />
      <Screen />
    </SWRConfig>,
  );
}

const fiveSeconds = () => act(() => vi.advanceTimersByTimeAsync(5_000));
const upToDate = () => HttpResponse.json({ content: [1], next: null });
const behind = () => HttpResponse.json({ content: [], next: null }, { headers: stale });

test.each([
  ["a response", OneAnswer, behind],
  ["a response in parts", Pages, behind],
  ["a record not found yet", OneAnswer, () => HttpResponse.json({}, { status: 404, headers: stale })],
])("%s that is stale shows a notice until the screen is left", async (_, Screen, first) => {
  answer = first;
  const { unmount, rerender } = open(Screen);
  expect(await screen.findByRole("status")).toHaveTextContent("This may be out of date.");
  rerender(<StaleNotice />);
  await waitFor(() => expect(screen.queryByRole("status")).toBeNull());
  unmount();
});

test("a stale response is requested again, and the notice disappears once the server has caught up", async () => {
  answer = behind;
  open(OneAnswer);
  await screen.findByRole("status");
  answer = upToDate;
  await fiveSeconds();
  await waitFor(() => expect(screen.queryByRole("status")).toBeNull());
});

test("a current response shows no notice", async () => {
  answer = upToDate;
  open(OneAnswer);
  await screen.findByText("shown");
  expect(screen.queryByRole("status")).toBeNull();
});
