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

/** Another user finds nothing of it. */
useAuthStore.subscribe(({ user }, { user: former }) => {
  if (former === null || user?.sub === former.sub) return;
  if (user === null) return forget();
  forget();
});

function forget(): void {
  for (const session of sessions.values()) session.begin();
  sessions.clear();
}
