import { capitalized } from "@/shared/format/capitalized";

export interface ToastText {
  title: string;
  message?: string;
}

export type RecordTexts = ReturnType<typeof recordTexts>;
export type ListTexts = ReturnType<typeof listTexts>;

/**
 * Return the specification's texts for a kind of record (screens, messages, constants); some kinds have others.
 * @param noun e.g. `driver`
 */
export function recordTexts(noun: string) {
  const title = capitalized(noun);
  return {
    /** Heading and button of the add form. */
    add: `Add ${title}`,
    edit: `Edit ${title}`,
    back: `Back to ${title}s`,
    loading: `Loading ${noun} details...`,
    notFound: { title: `${title} not found`, message: `The requested ${noun} could not be found.` },
    loadFailed: { title: `Failed to load ${noun} details` } as ToastText,
    /** Message of the toast about a failed load. */
    loadFailedToast: `Failed to load ${noun} details. Please try again.`,
    added: { title: `${title} Added` } as ToastText,
    updated: { title: `${title} Updated` } as ToastText,
    /** Titles of the toasts about a failed save. */
    addFailed: `Failed to add ${noun}`,
    updateFailed: `Failed to update ${noun}`,
    /** Message of these toasts, if it does not depend on the error. */
    saveFailed: undefined as string | undefined,
  };
}

export function copyIdTexts(noun: string) {
  return { text: `Copy ${noun} ID`, done: `${capitalized(noun)} ID copied to your clipboard` };
}

/** Return the specification's texts for a kind's list; see {@link recordTexts}. */
export function listTexts(noun: string) {
  const title = capitalized(noun);
  return {
    failedToast: `Failed to load ${noun}s. Please try again.`,
    empty: `No ${noun}s found`,
    emptyMessage: `Get started by adding your first ${noun}.`,
    edit: `Edit ${title}`,
    delete: `Delete ${title}`,
    deleteQuestion: (name: string) =>
      `Are you sure you want to delete ${name}? This action cannot be undone.`,
    deleted: (name: string): ToastText => ({
      title: `${title} Deleted`,
      message: `${name} has been deleted successfully.`,
    }),
    /** The menu item that copies a record's id, and its toast. */
    copyId: copyIdTexts(noun),
    deleteFailed: { title: `Failed to delete ${noun}`, message: "Please try again." },
  };
}
