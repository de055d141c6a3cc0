import { type ComponentType, createElement } from "react";
import type { RouteObject } from "react-router";
import { lazyScreen } from "@/shared/frame/lazyScreen";
import type { RecordDefinition } from "./definition";
import type { RecordPaths } from "./paths";

export type DefinedScreen = ComponentType<{ definition: RecordDefinition }>;

export const loadViewPage = async () => (await import("./ViewRecordPage")).ViewRecordPage;
export const loadEditPage = async () => (await import("./EditRecordPage")).EditRecordPage;

/** The screens of a kind of record, each loaded when it is first visited. */
export function recordRoutes(
  paths: RecordPaths,
  loadDefinition: () => Promise<RecordDefinition>,
): RouteObject[] {
  const screen = (path: string, load: () => Promise<DefinedScreen>) =>
    recordScreen(path, load, loadDefinition);
  return [
    screen(paths.list, async () => (await import("./RecordListPage")).RecordListPage),
    addRecordRoute(paths, loadDefinition),
    importRoute(paths, loadDefinition),
    screen(paths.view, loadViewPage),
    screen(paths.edit, loadEditPage),
  ];
}

/** The screen of the form in add mode. */
export function addRecordRoute(
  paths: RecordPaths,
  loadDefinition: () => Promise<RecordDefinition>,
): RouteObject {
  return recordScreen(paths.add, async () => (await import("./AddRecordPage")).AddRecordPage, loadDefinition);
}

/** The screen on which many records come from a file. */
export function importRoute(
  paths: RecordPaths,
  loadDefinition: () => Promise<RecordDefinition>,
): RouteObject {
  return recordScreen(
    paths.import,
    async () => (await import("@/shared/import/ImportPage")).ImportPage,
    loadDefinition,
  );
}

function recordScreen(
  path: string,
  load: () => Promise<DefinedScreen>,
  loadDefinition: () => Promise<RecordDefinition>,
): RouteObject {
  return lazyScreen(path, async () => {
    const [Screen, definition] = await Promise.all([load(), loadDefinition()]);
    return () => createElement(Screen, { definition });
  });
}
