import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { asError, type IdentityClient } from "./identity";
import { SessionKeeper } from "./SessionKeeper";
import { type Identity, IdentityContext } from "./useIdentity";

interface SignInProviderProps {
  client: IdentityClient;
  /** Navigates to the path where the sign-in began. */
  onReturn: (path: string) => void;
  children: ReactNode;
}

export function SignInProvider({ client, onReturn, children }: SignInProviderProps) {
  const [state, setState] = useState<Pick<Identity, "isLoading" | "user" | "error">>({ isLoading: true });
  const hasStarted = useRef(false);

  const actions = useMemo(() => {
    const fail = (thrown: unknown) =>
      setState((last) => ({ ...last, isLoading: false, error: asError(thrown, "Login failed") }));
    const readUser = async () => {
      const user = await client.user();
      setState((last) => (last.user?.idToken === user?.idToken ? last : { ...last, user }));
      return user;
    };
    return {
      start: async () => {
        try {
          if (isCallback(window.location.search)) onReturn((await client.finishRedirect()) ?? "/");
          else await client.restoreSession();
          setState({ isLoading: false, user: await client.user() });
        } catch (thrown) {
          fail(thrown);
        }
      },
      tokens: async (isRenewed: boolean) => {
        try {
          const accessToken = await client.accessToken(isRenewed);
          const user = await readUser();
          if (!accessToken || !user) throw new Error("The identity provider sent no tokens.");
          return { accessToken, user };
        } catch (thrown) {
          await readUser();
          throw asError(thrown, "Get access token failed");
        }
      },
      signInByRedirect: (returnTo: string) => client.signInByRedirect(returnTo).catch(fail),
      signInByPopup: async () => {
        setState((last) => ({ ...last, isLoading: true }));
        try {
          await client.signInByPopup();
          setState({ isLoading: false, user: await client.user() });
        } catch (thrown) {
          fail(thrown);
        }
      },
      forget: async () => {
        await client.forget();
        setState((last) => ({ ...last, user: undefined }));
      },
      signOut: () => client.signOut(),
    };
  }, [client, onReturn]);

  useEffect(() => {
    if (hasStarted.current) return; // A code is valid once.
    hasStarted.current = true;
    void actions.start();
  }, [actions]);

  const identity = useMemo(() => ({ ...state, ...actions }), [state, actions]);
  return (
    <IdentityContext value={identity}>
      <SessionKeeper>{children}</SessionKeeper>
    </IdentityContext>
  );
}

/** Whether a query string has an answer of the identity provider. */
function isCallback(query: string): boolean {
  const parameters = new URLSearchParams(query);
  return Boolean((parameters.get("code") || parameters.get("error")) && parameters.get("state"));
}
