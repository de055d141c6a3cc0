import { type ComponentType, createElement } from "react";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "./definition";
import type { RecordPaths } from "./paths";

export type DefinedScreen = ComponentType<{ definition: RecordDefinition }>;

/** Loaders of a kind's screens, by the names of their paths. */
export const loadScreen = {
  list: async () => (await import("./RecordListPage")).RecordListPage,
  add: async () => (await import("./AddRecordPage")).AddRecordPage,
  import: async () => (await import("@/shared/import/ImportPage")).ImportPage,
  view: async () => (await import("./ViewRecordPage")).ViewRecordPage,
  edit: async () => (await import("./EditRecordPage")).EditRecordPage,
} satisfies Partial<Record<keyof RecordPaths, () => Promise<DefinedScreen>>>;

type ScreenName = keyof typeof loadScreen;

const ALL = Object.keys(loadScreen) as ScreenName[];

/** Return the routes of a kind's screens. */
export function recordRoutes(
  paths: RecordPaths,
  loadDefinition: () => Promise<RecordDefinition>,
  names: readonly ScreenName[] = ALL,
) {
  return names.flatMap((name) => {
    const path = paths[name];
    if (path === undefined) return [];
    return lazyScreen(path, async () => {
      const [Screen, definition] = await Promise.all([loadScreen[name](), loadDefinition()]);
      return () => createElement<{ definition: RecordDefinition }>(Screen, { definition });
    });
  });
}
