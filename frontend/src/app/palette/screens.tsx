import { Add, Clipboard, EyeOpen, Import, MapMarker } from "@blueprintjs/icons";
import { AUDIT_PATH } from "@/features/audit/routes";
import { bookingPaths } from "@/features/bookings/paths";
import { areas, isOpenTo } from "@/features/management/areas";
import { routePaths } from "@/features/routes/routes";
import { type Permission, permissionTo } from "@/shared/auth/permissions";
import { capitalized } from "@/shared/format/capitalized";
import type { RecordDefinition } from "@/shared/records";
import { entries as navigation } from "../shell/Sidebar";
import type { Entry } from "./ranking";

/** A screen with a fixed address. */
interface Screen extends Entry {
  to: string;
  needs?: readonly Permission[] | undefined;
  /** All of these permissions; `needs` lists alternatives. */
  needsAll?: readonly Permission[] | undefined;
}

/** Screens without a menu entry, opened by a button or a tab. */
const FURTHER: readonly Omit<Screen, "key">[] = [
  { to: bookingPaths.createProposal, title: "New Booking Proposal", icon: <Add />, words: ["create"] },
  { to: bookingPaths.createApproval, title: "Create Booking Approval", icon: <Add />, words: ["new"] },
  { to: `${bookingPaths.list}?tab=approvals`, title: "Booking Approvals", icon: <Clipboard /> },
  { to: routePaths.add, title: "Add Route", icon: <Add />, words: ["new"] },
  { to: `${routePaths.list}?tab=locations`, title: "Locations", icon: <MapMarker />, needs: ["fleet:read"] },
  { to: `${AUDIT_PATH}?tab=access`, title: "Access Log", icon: <EyeOpen />, needs: ["access-log:read"] },
];

/** All screens with a fixed address, without those of a record, booking or trip. */
export function allScreens(kinds: readonly RecordDefinition[]): readonly Screen[] {
  const screens: readonly Omit<Screen, "key">[] = [
    ...navigation.map(({ to, label, Icon }) => ({ to, title: label, icon: <Icon /> })),
    ...areas.map(({ to, title, description, Icon, needs, needsAll }) => ({
      to,
      title,
      icon: <Icon />,
      words: [description],
      needs,
      needsAll,
    })),
    ...FURTHER,
    ...kinds.flatMap(({ api, paths, texts }) => {
      const needs = [permissionTo("write", api)];
      const add = { to: paths.add, title: texts.add, icon: <Add />, words: ["new"], needs };
      if (paths.import === undefined) return [add];
      const title = `Import ${capitalized(api.noun)}s`;
      return [add, { to: paths.import, title, icon: <Import />, words: ["file", "csv", "xlsx"], needs }];
    }),
  ];
  return screens.map((screen) => ({ ...screen, key: screen.to }));
}

export function screensOpenTo(
  permissions: readonly Permission[],
  kinds: readonly RecordDefinition[],
): readonly Screen[] {
  return allScreens(kinds).filter((screen) => isOpenTo(screen, permissions));
}
