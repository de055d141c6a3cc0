import { create } from "zustand";
import { persist } from "zustand/middleware";

/** The identity profile as the screens read it; `id` is a copy of the subject claim. */
export interface AuthUser {
  id: string;
  sub: string;
  name?: string | undefined;
  email?: string | undefined;
  picture?: string | undefined;
}

export interface AuthState {
  isAuthenticated: boolean;
  isLoading: boolean;
  user: AuthUser | null;
  accessToken: string | null;
  idToken: string | null;
  /** Always null: refresh tokens stay in the memory of the identity client. */
  refreshToken: null;
}

const signedOut: AuthState = {
  isAuthenticated: false,
  isLoading: false,
  user: null,
  accessToken: null,
  idToken: null,
  refreshToken: null,
};

export const AUTH_STORAGE_KEY = "auth-storage";

/** The signed-in user and their tokens, kept in local storage under `auth-storage` (spec, section 3). */
export const useAuthStore = create<AuthState>()(
  persist((): AuthState => ({ ...signedOut, isLoading: true }), {
    name: AUTH_STORAGE_KEY,
    partialize: ({ isAuthenticated, user, accessToken, idToken }) => ({
      isAuthenticated,
      user,
      accessToken,
      idToken,
      refreshToken: null,
    }),
  }),
);

/** Clear the session here and in local storage. */
export function clearAuth(): void {
  useAuthStore.setState(signedOut);
}

/** Store the result of a sign-in or a renewal. */
export function storeSession(user: AuthUser, accessToken: string, idToken: string | null): void {
  useAuthStore.setState({
    isAuthenticated: true,
    isLoading: false,
    user,
    accessToken,
    idToken,
    refreshToken: null,
  });
}
