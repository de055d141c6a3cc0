import { act, screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { SystemLink } from "./Header";

test("the header shows the system's state, also when the server is unreachable", async () => {
  signIn();
  let answer = () => HttpResponse.json({ state: "well" });
  server.use(http.get("*/api/v1/system/state", () => answer()));
  renderRoutes([{ path: "/", element: <SystemLink /> }], "/");
  const become = async (next: typeof answer, name: string, state: string) => {
    answer = next;
    // As when the network is there again: it asks at once.
    act(() => void window.dispatchEvent(new Event("online")));
    expect(await screen.findByRole("link", { name })).toHaveAttribute("data-state", state);
  };
  expect(await screen.findByRole("link", { name: "System: all is well" })).toHaveAttribute(
    "href",
    "/management/system",
  );
  await become(() => HttpResponse.json({ state: "wrong" }), "System: something is wrong", "wrong");
  await become(() => HttpResponse.error(), "System: unreachable", "unknown");
  await become(() => HttpResponse.json({ state: "watch" }), "System: needs attention today", "watch");
});
