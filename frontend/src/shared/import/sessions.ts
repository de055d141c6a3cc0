import { useAuthStore } from "@/shared/auth/authStore";
import type { RecordDefinition } from "@/shared/records";
import { ImportSession } from "./session";

const sessions = new Map<string, ImportSession>();

/** The import of a kind of record in this tab, wherever one is meanwhile. */
export function sessionOf(definition: RecordDefinition): ImportSession {
  const { noun } = definition.api;
  const session = sessions.get(noun) ?? new ImportSession(definition);
  sessions.set(noun, session);
  return session;
}

let lastUser = useAuthStore.getState().user?.sub;

/** Another user finds nothing of it; the same one, whose session ended meanwhile, finds everything. */
useAuthStore.subscribe(({ user }) => {
  if (user === null || user.sub === lastUser) return;
  if (lastUser !== undefined) forget();
  lastUser = user.sub;
});

function forget(): void {
  for (const session of sessions.values()) session.begin();
  sessions.clear();
}
