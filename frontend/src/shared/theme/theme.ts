import { Classes } from "@blueprintjs/core";
import { create } from "zustand";
import { persist } from "zustand/middleware";

export type Theme = "system" | "light" | "dark";

interface ThemeState {
  theme: Theme;
  choose: (theme: Theme) => void;
}

/** The chosen theme: the system's until the user picks another, remembered in local storage. */
export const useThemeStore = create<ThemeState>()(
  persist((set) => ({ theme: "system", choose: (theme) => set({ theme }) }), {
    name: "fleetlog-theme",
    partialize: ({ theme }) => ({ theme }),
  }),
);

const round: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

/** The theme that comes after one when going round all three. */
export function nextTheme(theme: Theme): Theme {
  return round[theme];
}

/** Paints the page in the chosen theme, now and whenever the choice or the system changes. */
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
