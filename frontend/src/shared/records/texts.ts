import { capitalized } from "@/shared/format/capitalized";

export interface ToastText {
  title: string;
  message?: string;
}

export interface RecordTexts {
  /** Heading and button of the add form. */
  add: string;
  edit: string;
  back: string;
  loading: string;
  notFound: ToastText;
  loadFailed: ToastText;
  /** Message of the toast about a failed load. */
  loadFailedToast: string;
  added: ToastText;
  updated: ToastText;
  /** Titles of the toasts about a failed save. */
  addFailed: string;
  updateFailed: string;
  /** Message of these toasts, if it does not depend on the error. */
  saveFailed?: string;
}

export interface ListTexts {
  failedToast: string;
  empty: string;
  emptyMessage: string;
  edit: string;
  delete: string;
  deleteQuestion: (name: string) => string;
  deleted: (name: string) => ToastText;
  deleteFailed: ToastText;
  /** The menu item that copies a record's id, and its toast. */
  copyId: { text: string; done: string };
}

/**
 * Return the specification's texts for a kind of record (screens, messages, constants).
 * @param noun e.g. `driver`
 * @param differences where the specification has other texts for the kind.
 */
export function recordTexts(noun: string, differences: Partial<RecordTexts> = {}): RecordTexts {
  const title = capitalized(noun);
  return {
    add: `Add ${title}`,
    edit: `Edit ${title}`,
    back: `Back to ${title}s`,
    loading: `Loading ${noun} details...`,
    notFound: { title: `${title} not found`, message: `The requested ${noun} could not be found.` },
    loadFailed: { title: `Failed to load ${noun} details` },
    loadFailedToast: `Failed to load ${noun} details. Please try again.`,
    added: { title: `${title} Added` },
    updated: { title: `${title} Updated` },
    addFailed: `Failed to add ${noun}`,
    updateFailed: `Failed to update ${noun}`,
    ...differences,
  };
}

export function copyIdTexts(noun: string) {
  return { text: `Copy ${noun} ID`, done: `${capitalized(noun)} ID copied to your clipboard` };
}

/** Return the specification's texts for a kind's list; see {@link recordTexts}. */
export function listTexts(noun: string, differences: Partial<ListTexts> = {}): ListTexts {
  const title = capitalized(noun);
  return {
    failedToast: `Failed to load ${noun}s. Please try again.`,
    empty: `No ${noun}s found`,
    emptyMessage: `Get started by adding your first ${noun}.`,
    edit: `Edit ${title}`,
    delete: `Delete ${title}`,
    deleteQuestion: (name) => `Are you sure you want to delete ${name}? This action cannot be undone.`,
    deleted: (name) => ({ title: `${title} Deleted`, message: `${name} has been deleted successfully.` }),
    copyId: copyIdTexts(noun),
    deleteFailed: { title: `Failed to delete ${noun}`, message: "Please try again." },
    ...differences,
  };
}
