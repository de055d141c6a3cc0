import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { setOnline } from "@/testing/connection";
import { OfflineNotice } from "./notices";

test("that there is no connection is said while there is none, and no longer", () => {
  render(<OfflineNotice />);
  expect(screen.queryByRole("status")).toBeNull();
  setOnline(false);
  expect(screen.getByRole("status")).toHaveTextContent("You are offline.");
  setOnline(true);
  expect(screen.queryByRole("status")).toBeNull();
});
