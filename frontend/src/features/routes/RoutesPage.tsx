import { Import, Plus } from "@blueprintjs/icons";
import type { ComponentType } from "react";
import { NoPastNotice, useAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { usePermission } from "@/shared/auth/permissions";
import { useListState } from "@/shared/table";
import { useAddressParams } from "@/shared/table/useAddressParams";
import { LinkButton, PageHeader } from "@/shared/ui";
import { ScreenTabs } from "@/shared/ui/ScreenTabs";
import { RoutesTab } from "./RoutesTab";
import { routePaths } from "./routes";

/**
 * Routes and locations, a tab each; the query parameter `tab=locations` opens the second.
 * @param LocationsTab belongs to another feature.
 */
export function RoutesPage({ LocationsTab }: { LocationsTab: ComponentType }) {
  const [params, update] = useAddressParams();
  const { asOf } = useAsOf();
  const state = useListState();
  const tab = params.get("tab") === "locations" ? "locations" : "routes";
  const add = ADD[tab];
  // Routes are sample data, open to all; locations come from the API.
  const seesLocations = usePermission("fleet:read");
  const mayAdd = usePermission("fleet:write") || tab === "routes";
  // A change of tab keeps the search and clears what belongs to one list.
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
        isSample={tab === "routes"}
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

/** Query parameters that belong to one list; the last two are the locations' filters. */
const OF_ONE_LIST = ["sort", "page", "row", "only", "hide", "columns", "view", "country", "type"];

const ADD = {
  routes: { to: routePaths.add, text: "Add Route" },
  locations: { to: "/management/locations/add", text: "Add Location" },
} as const;

const IMPORT_LOCATIONS = "/management/locations/import";
