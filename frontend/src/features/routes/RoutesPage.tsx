import { Import, Plus } from "@blueprintjs/icons";
import type { ComponentType } from "react";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { useListState } from "@/shared/table";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { LinkButton, PageHeader } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { routePaths } from "./paths";
import { RoutesTab } from "./RoutesTab";

interface RoutesPageProps {
  /** The other tab, which belongs to another feature. */
  LocationsTab: ComponentType;
}

/** Routes, and the locations they lead to: a tab each, and the address says which (`tab=locations`). */
export function RoutesPage({ LocationsTab }: RoutesPageProps) {
  const [params, update] = useAddressParams();
  const { asOf } = useAsOf();
  const state = useListState();
  const tab = params.get("tab") === "locations" ? "locations" : "routes";
  const add = ADD[tab];
  // Routes are samples, which the API does not know; locations are not.
  const seesLocations = usePermission("fleet:read");
  const mayAdd = usePermission("fleet:write") || tab === "routes";
  // The search goes along; filters, order, page and columns of the one list mean nothing to the other.
  const open = (chosen: typeof tab) => {
    update({
      ...Object.fromEntries(OF_ONE_LIST.map((name) => [name, null])),
      tab: chosen === "locations" ? "locations" : null,
    });
  };

  return (
    <Needs
      permissions={tab === "locations" ? ["fleet:read"] : []}
      to="see locations"
      back={<LinkButton to={routePaths.list} text="Back to Routes" />}
    >
      <PageHeader
        title="Routes"
        subtitle="Plan and optimize routes"
        back={{ to: "/management", label: "Back to Management" }}
        actions={
          mayAdd &&
          asOf === null && (
            <>
              {tab === "locations" && (
                <LinkButton to={IMPORT_LOCATIONS} state={state} icon={<Import />} text="Import" />
              )}
              <LinkButton to={add.to} state={state} intent="primary" icon={<Plus />} text={add.text} />
            </>
          )
        }
      />
      <ScreenTabs
        id="routes-and-locations"
        tabs={[
          {
            id: "routes",
            title: "Routes",
            panel: (
              <>
                <NoPastNotice what="Routes" />
                <RoutesTab />
              </>
            ),
          },
          ...(seesLocations
            ? [{ id: "locations" as const, title: "Locations", panel: <LocationsTab /> }]
            : []),
        ]}
        open={tab}
        onOpen={open}
      />
    </Needs>
  );
}

/** What the address says of one of the lists; the last two are the locations' filters. */
const OF_ONE_LIST = ["sort", "page", "row", "only", "hide", "columns", "view", "country", "type"];

const ADD = {
  routes: { to: routePaths.add, text: "Add Route" },
  locations: { to: "/management/locations/add", text: "Add Location" },
} as const;

const IMPORT_LOCATIONS = "/management/locations/import";
