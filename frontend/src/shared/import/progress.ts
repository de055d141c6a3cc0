import { create } from "zustand";

/** The progress of an import, shown by the frame while other screens are open. */
export interface ImportProgress {
  /** The imported records, e.g. `drivers`. */
  what: string;
  /** Address of the import's screen. */
  address: string;
  done: number;
  total: number;
  /** Set once the import has ended, until the user has seen it. */
  outcome?: string;
}

interface ProgressState {
  imports: ReadonlyMap<string, ImportProgress>;
}

export const useImportProgress = create<ProgressState>(() => ({ imports: new Map() }));

/** Update an import's progress; undefined removes it. */
export function reportProgress(what: string, progress: ImportProgress | undefined): void {
  const imports = new Map(useImportProgress.getState().imports);
  if (progress) imports.set(what, progress);
  else imports.delete(what);
  useImportProgress.setState({ imports });
  if ([...imports.values()].some(({ outcome }) => outcome === undefined))
    window.addEventListener("beforeunload", confirmUnload);
  else window.removeEventListener("beforeunload", confirmUnload);
}

/** Let the browser ask before the tab is closed. */
function confirmUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
