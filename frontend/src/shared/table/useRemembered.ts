import { useState } from "react";

/** Whether somebody wants something shown: remembered in this browser, and not wanted at first. */
export function useRemembered(key: string): readonly [boolean, () => void] {
  const [isWanted, setWanted] = useState(() => localStorage.getItem(key) === "true");
  const toggle = () => {
    localStorage.setItem(key, String(!isWanted));
    setWanted(!isWanted);
  };
  return [isWanted, toggle];
}
