import { screen, within } from "@testing-library/react";
import { vi } from "vitest";
import { renderRoutes } from "@/testing/renderRoutes";
import { type DataColumn, DataTable } from "..";

/** Other options of the table. */
interface Options {
  selectable?: boolean;
  isLoading?: boolean;
  /** Rows can be edited. */
  onEdit?: (id: string) => void;
}

export interface Ship {
  id: string;
  name: string;
  port: string;
  crew: number | null;
}

const columns: readonly DataColumn<Ship>[] = [
  { id: "name", header: "Name", value: (ship) => ship.name },
  { id: "port", header: "Port", card: "second", value: (ship) => ship.port },
  { id: "crew", header: "Crew", value: (ship) => ship.crew },
  { id: "id", header: "Number", value: (ship) => ship.id, hidden: true },
];

const DEFAULT_SORT = { id: "name", desc: false };

const searchFields = (ship: Ship) => [ship.name, ship.id];

/** Ships numbered from 1; every third has no crew. */
export function ships(count: number): Ship[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `S-${index + 1}`,
    name: `Ship ${index + 1}`,
    port: index % 2 === 0 ? "Kochi" : "Mumbai",
    crew: index % 3 === 0 ? null : 100 - index,
  }));
}

/** A list of ships at `/ships`. */
export function openFleet(rows: readonly Ship[], address = "/ships", { onEdit, ...options }: Options = {}) {
  const onSell = vi.fn();
  function Fleet() {
    return (
      <DataTable
        name="ships"
        label="Ships"
        rows={rows}
        columns={columns}
        defaultSort={DEFAULT_SORT}
        searchPlaceholder="Search ships..."
        searchFields={searchFields}
        rowName={(ship) => ship.name}
        rowHref={(ship) => `/ships/${ship.id}`}
        rowActions={(ship) => [
          ...(onEdit ? [{ text: "Edit", icon: <i />, isEdit: true, onSelect: () => onEdit(ship.id) }] : []),
          { text: "Sell", icon: <i />, onSelect: () => onSell(ship.id), destructive: true },
        ]}
        {...options}
      />
    );
  }
  return { ...renderRoutes([{ path: "/ships", element: <Fleet /> }], address), onSell };
}

/** The texts of one column, as shown. */
export function column(name: string): (string | null)[] {
  const headers = screen.getAllByRole("columnheader");
  const index = headers.findIndex((header) => header.textContent === name);
  return screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[index]?.textContent ?? null);
}
