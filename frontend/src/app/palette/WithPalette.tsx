import { Key } from "@blueprintjs/icons";
import { type ComponentType, type ReactNode, useCallback, useMemo } from "react";
import { useScreenActions } from "@/shared/actions";
import { useShortcut } from "@/shared/keys";
import { loadRecordKinds } from "../recordKinds";
import { type PanelProps, useLazyPanel } from "../useLazyPanel";
import { holdKeys, releaseKeys } from "./holdKeys";
import { HELP_KEYS, PALETTE_KEYS, PaletteContext } from "./palette";

/** Provides the palette and the list of shortcuts to all screens. */
export function WithPalette({ children }: { children: ReactNode }) {
  const palette = useLazyPanel(loadPalette, "Failed to open the search");
  const help = useLazyPanel(loadShortcuts, "Failed to open the keyboard shortcuts");
  const { isOpen, open: show } = palette;
  const open = useCallback(() => {
    if (!isOpen) holdKeys();
    void show();
  }, [isOpen, show]);
  useShortcut(PALETTE_KEYS, open);
  useShortcut(HELP_KEYS, help.open);
  useScreenActions([{ text: HELP_KEYS.does, icon: <Key />, onSelect: help.open }], "frame");
  return (
    <PaletteContext value={useMemo(() => ({ isOpen, open }), [isOpen, open])}>
      {children}
      {palette.panel}
      {help.panel}
    </PaletteContext>
  );
}

export const loadShortcuts = async () => (await import("./ShortcutsDialog")).ShortcutsDialog;

export async function loadPalette(): Promise<ComponentType<PanelProps>> {
  try {
    const [{ Palette }, kinds] = await Promise.all([import("./Palette"), loadRecordKinds()]);
    return (props) => <Palette {...props} kinds={kinds} />;
  } catch (error) {
    releaseKeys();
    throw error;
  }
}
