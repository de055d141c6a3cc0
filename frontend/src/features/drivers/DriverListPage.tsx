import { Clipboard, Edit, EyeOpen, IdNumber, Plus, Trash } from "@blueprintjs/icons";
import { useState } from "react";
import { useNavigate } from "react-router";
import { DataTable, type RowAction, useTableView } from "@/shared/table";
import { useFailureToast, useToast } from "@/shared/toast";
import {
  EmptyState,
  ErrorState,
  LinkButton,
  LoadingState,
  PageHeader,
  StatCard,
  StatCards,
} from "@/shared/ui";
import { driverColumns, driverSearchFields } from "./columns";
import { DeleteDriverDialog } from "./DeleteDriverDialog";
import { countLicences } from "./licences";
import { ADD, editPath, viewPath } from "./paths";
import type { Driver } from "./schema";
import { useDrivers } from "./useDrivers";

const SORT = { id: "name", desc: false };

/** All drivers: figures, search, table, and what can be done with each. */
export function DriverListPage() {
  const { drivers, error } = useDrivers();
  const failed = drivers === undefined && error !== undefined;
  useFailureToast(error !== undefined, "Error", "Failed to load drivers. Please try again.");

  return (
    <>
      <PageHeader
        title="Drivers"
        subtitle="Drivers, licenses and employee records"
        back={{ to: "/management", label: "Back to Management" }}
        actions={<LinkButton to={ADD} intent="primary" icon={<Plus />} text="Add Driver" />}
      />
      {failed ? (
        <ErrorState title="Failed to load drivers" onRetry={() => window.location.reload()} />
      ) : drivers === undefined ? (
        <LoadingState label="Loading drivers..." />
      ) : (
        <LoadedDrivers drivers={drivers} />
      )}
    </>
  );
}

function LoadedDrivers({ drivers }: { drivers: readonly Driver[] }) {
  const view = useTableView({ name: "drivers", columns: driverColumns, defaultSort: SORT });
  const [deleting, setDeleting] = useState<Driver | null>(null);
  const rowActions = useDriverActions(setDeleting);
  const counts = countLicences(drivers, new Date());

  return (
    <>
      <StatCards>
        <StatCard label="Total Drivers" value={counts.total} />
        <StatCard label="Active Drivers" value={counts.active} tone="success" />
        <StatCard label="Expired Licenses" value={counts.expired} tone="danger" />
        <StatCard label="Expiring Soon" value={counts.expiringSoon} tone="warning" />
      </StatCards>
      {drivers.length === 0 ? (
        <EmptyState
          icon={<IdNumber size={24} />}
          title="No drivers found"
          message="Get started by adding your first driver."
        />
      ) : (
        <DataTable
          label="Drivers"
          rows={drivers}
          columns={driverColumns}
          view={view}
          searchPlaceholder="Search drivers by name, ID, or phone..."
          searchFields={driverSearchFields}
          rowId={(driver) => driver.id}
          rowName={(driver) => driver.name}
          rowHref={(driver) => viewPath(driver.id)}
          rowActions={rowActions}
        />
      )}
      <DeleteDriverDialog driver={deleting} onClose={() => setDeleting(null)} />
    </>
  );
}

function useDriverActions(askToDelete: (driver: Driver) => void): (driver: Driver) => readonly RowAction[] {
  const navigate = useNavigate();
  const toast = useToast();

  const copyId = async (id: string) => {
    try {
      await navigator.clipboard.writeText(id);
      toast.show({ title: "Driver ID copied to your clipboard" });
    } catch {
      // The browser may forbid it: then the reader can still copy it by hand.
      toast.show({ title: "The browser did not allow copying", message: id, intent: "danger" });
    }
  };

  return (driver) => [
    { text: "Copy driver ID", icon: <Clipboard />, onSelect: () => copyId(driver.id) },
    { text: "View Details", icon: <EyeOpen />, onSelect: () => navigate(viewPath(driver.id)) },
    { text: "Edit Driver", icon: <Edit />, onSelect: () => navigate(editPath(driver.id)) },
    { text: "Delete Driver", icon: <Trash />, destructive: true, onSelect: () => askToDelete(driver) },
  ];
}
