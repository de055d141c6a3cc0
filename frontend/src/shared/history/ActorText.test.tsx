import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { ActorText } from "./parts";

const told = (name: string | null, said: { masked?: string[]; erased?: string[] } = {}) =>
  render(<ActorText of={{ actor: { sub: "dev|asha", name }, ...said }} />).container.textContent;

test("whoever has no name stands there by their subject, with why", () => {
  expect(told("Asha Rao")).toBe("Asha Rao");
  expect(told(null, { erased: ["reason", "actor.name"] })).toBe("dev|asha Name erased");
  expect(told(null, { masked: ["actor.name"] })).toBe("dev|asha");
  expect(told(null)).toBe("dev|asha name not known");
});
