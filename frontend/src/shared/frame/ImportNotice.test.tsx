import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import { reportProgress } from "@/shared/import/progress";
import { ImportNotice } from "./notices";

const drivers = { what: "drivers", address: "/management/drivers/import", done: 300, total: 9000 };
const report = (outcome?: string) =>
  act(() => reportProgress("drivers", { ...drivers, ...(outcome !== undefined && { outcome }) }));

test("an import that finishes is shown on other screens until it is opened", async () => {
  render(<ImportNotice />, { wrapper: MemoryRouter });
  report();
  expect(screen.getByRole("status")).toHaveTextContent("Importing drivers: 300 of 9,000 rows");
  report("8,990 rows imported, 10 refused");
  expect(screen.getByRole("status")).toHaveTextContent(
    "Import of drivers finished: 8,990 rows imported, 10 refused",
  );
  await userEvent.click(screen.getByRole("link", { name: "Show the import" }));
  expect(screen.queryByRole("status")).toBeNull();
});

test("an import that finishes on its own screen is not shown elsewhere", async () => {
  const atImport = ({ children }: { children: React.ReactNode }) => (
    <MemoryRouter initialEntries={[drivers.address, "/"]} initialIndex={0}>
      {children}
    </MemoryRouter>
  );
  const { unmount } = render(<ImportNotice />, { wrapper: atImport });
  report("9,000 rows imported");
  unmount();
  render(<ImportNotice />, { wrapper: MemoryRouter });
  expect(screen.queryByRole("status")).toBeNull();
});
