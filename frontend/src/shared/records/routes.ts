import { type ComponentType, createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "./definition";
import type { RecordPaths } from "./paths";

export type DefinedScreen = ComponentType<{ definition: RecordDefinition }>;

/** The screens of a kind of record, by the names of their addresses; each is loaded when it is first visited. */
export const loadScreen = {
  list: async () => (await import("./RecordListPage")).RecordListPage,
  add: async () => (await import("./AddRecordPage")).AddRecordPage,
  import: async () => (await import("@/shared/import/ImportPage")).ImportPage,
  view: async () => (await import("./ViewRecordPage")).ViewRecordPage,
  edit: async () => (await import("./EditRecordPage")).EditRecordPage,
} satisfies Partial<Record<keyof RecordPaths, () => Promise<DefinedScreen>>>;

type ScreenName = keyof typeof loadScreen;

const ALL = Object.keys(loadScreen) as ScreenName[];

/** The routes of a kind of record's screens, or of some of them. */
export function recordRoutes(
  paths: RecordPaths,
  loadDefinition: () => Promise<RecordDefinition>,
  names: readonly ScreenName[] = ALL,
) {
  return names.map((name) =>
    lazyScreen(paths[name], async () => {
      const [Screen, definition] = await Promise.all([loadScreen[name](), loadDefinition()]);
      return () => createElement<{ definition: RecordDefinition }>(Screen, { definition });
    }),
  );
}
