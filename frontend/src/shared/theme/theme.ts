import { Classes } from "@blueprintjs/core";
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { isConnectionSlow } from "@/shared/config/connection";

export type Theme = "system" | "light" | "dark";

/** The chosen theme, by default the system's; kept in local storage. */
export const useThemeStore = create<{ theme: Theme; choose: (theme: Theme) => void }>()(
  persist((set) => ({ theme: "system", choose: (theme) => set({ theme }) }), {
    name: "fleetlog-theme",
    partialize: ({ theme }) => ({ theme }),
  }),
);

/** Apply the theme now and on every change of the choice or the system. */
export function followTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = useThemeStore.getState();
    const isDark = theme === "dark" || (theme === "system" && system.matches);
    document.documentElement.classList.toggle(Classes.DARK, isDark);
  };
  apply();
  system.addEventListener("change", apply);
  useThemeStore.subscribe(apply);
}

/** In milliseconds, until the first screen has loaded on a slow connection. */
const UNTIL_SHOWN = 6_000;

/** Load the typeface, on a slow connection after the first screen. */
export function loadTypeface(): void {
  const load = () => document.documentElement.classList.add("fl-typeface");
  setTimeout(load, isConnectionSlow() ? UNTIL_SHOWN : 0);
}
