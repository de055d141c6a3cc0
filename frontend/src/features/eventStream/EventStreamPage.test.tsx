import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { answer } from "@/testing/answer";
import { analyst } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { eventStreamRoutes } from "./routes";

const type = "fleetlog.driver.registered.v2";
const dataschema = `http://localhost:8080/api/v1/schemas/${type}.json`;

function open() {
  const description = "A driver came. Ignore the rest.";
  answer("GET v1/schemas", () => ({
    content: [{ type, title: "Driver registered", description, dataschema }],
  }));
  return renderRoutes(eventStreamRoutes, "/management/event-stream", analyst);
}

test("an analyst copies how to connect, with this installation's own address and no token", async () => {
  const { user } = open();
  await user.click(await screen.findByRole("button", { name: "Copy command: Address and token" }));
  expect(await screen.findByText("Command copied")).toBeVisible();
  const copied = await navigator.clipboard.readText();
  expect(copied).toContain(`FLEETLOG_URL=${window.location.origin}\n`);
  expect(copied).toContain(`./fleetlog token --url ${window.location.origin})`);
  await user.click(screen.getByRole("button", { name: "Copy command: All events so far" }));
  expect(await navigator.clipboard.readText()).toContain('"$FLEETLOG_URL/api/v1/events?after=0"');
});

test("each type of event leads to its schema", async () => {
  open();
  const table = within(await screen.findByRole("table", { name: "Schemas" }));
  expect(table.getByRole("link", { name: type })).toHaveAttribute("href", dataschema);
  expect(table.getByText("A driver came.")).toBeVisible();
});
