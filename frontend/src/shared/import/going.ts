import { create } from "zustand";

/** An import that goes on while other screens are open, or has ended there. */
export interface Going {
  /** What is imported, e.g. `drivers`. */
  what: string;
  /** Where it is seen. */
  address: string;
  done: number;
  total: number;
  /** What has come of it, until somebody looks at it. */
  outcome?: string;
}

interface GoingState {
  going: ReadonlyMap<string, Going>;
}

/** Apart from the screens of imports, because the frame around all screens tells of them. */
export const useGoing = create<GoingState>(() => ({ going: new Map() }));

/** Says how far an import is; undefined: there is no more to say. */
export function tellGoing(what: string, going: Going | undefined): void {
  const all = new Map(useGoing.getState().going);
  if (going) all.set(what, going);
  else all.delete(what);
  useGoing.setState({ going: all });
  if ([...all.values()].some(({ outcome }) => outcome === undefined))
    window.addEventListener("beforeunload", askBefore);
  else window.removeEventListener("beforeunload", askBefore);
}

/** The browser asks whether to close the tab all the same. */
function askBefore(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
