import { screen } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { ActivityButton } from "./Header";

test("the button brings the panel with what was done last", async () => {
  signIn();
  const change = {
    ...{ position: 1, entity: "horse", id: "HRS-1", version: 1, type: "horse.registered" },
    ...{ moment: new Date().toISOString(), request_id: null, reason: null, changes: [] },
    actor: { sub: "dev|asha", name: "Asha Rao" },
  };
  server.use(http.get("*/api/v1/audit", () => HttpResponse.json({ content: [change], next: null })));
  const { user } = renderRoutes([{ path: "/", element: <ActivityButton /> }], "/");
  const button = screen.getByRole("button", { name: "Recent activity" });
  expect(button).toHaveAttribute("aria-haspopup", "dialog");
  await user.click(button);
  expect(await screen.findByRole("dialog", { name: "Recent activity" })).toBeInTheDocument();
  expect(await screen.findByRole("link", { name: "horse HRS-1" })).toHaveAttribute(
    "href",
    "/management/horses/HRS-1?tab=history",
  );
  expect(button).toHaveAttribute("aria-expanded", "true");
});
