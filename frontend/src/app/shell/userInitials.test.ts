import { expect, test } from "vitest";
import { userInitials } from "./Sidebar";

test.each([
  [{ name: "Asha Menon", email: "x@y" }, "AM"],
  [{ name: "asha venkata menon" }, "AV"],
  [{ name: "  Asha  " }, "A"],
  [{ name: "", email: "rohan@fleetlog.example" }, "RO"],
  [{ name: "   ", email: "r" }, "R"],
  [{ email: "rohan@fleetlog.example" }, "RO"],
  [{ name: "", email: "" }, "U"],
  [{}, "U"],
  [null, "U"],
  [{ name: "émile 𝒵ola" }, "É𝒵"],
])("%o is shown as %s", (user, expected) => {
  expect(userInitials(user)).toBe(expected);
});
