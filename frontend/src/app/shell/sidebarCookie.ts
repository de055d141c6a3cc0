const NAME = "sidebar_state";
const SEVEN_DAYS = 7 * 24 * 60 * 60;

/** Whether the sidebar was left open; open when nothing is remembered. */
export function readSidebarCookie(): boolean {
  return !document.cookie.split("; ").includes(`${NAME}=false`);
}

/** Remembers for seven days whether the sidebar is open. */
export function writeSidebarCookie(isOpen: boolean): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere yet
  document.cookie = `${NAME}=${isOpen}; path=/; max-age=${SEVEN_DAYS}; SameSite=Lax`;
}
