import { act } from "@testing-library/react";
import { vi } from "vitest";

/** Set the browser's connection state and fire its event. */
export function setOnline(isOnline: boolean): void {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(isOnline);
  act(() => {
    window.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  });
}
