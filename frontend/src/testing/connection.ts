import { act } from "@testing-library/react";
import { vi } from "vitest";

/** The browser's connection goes or comes back, as it tells of it. */
export function setOnline(isOnline: boolean): void {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(isOnline);
  act(() => {
    window.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  });
}
