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
  /** Always null: refresh tokens stay in the memory of the identity SDK. */
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

/** Who is signed in and with which tokens, kept in local storage under `auth-storage`. */
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

/** Forgets everything about the session, here and in local storage. */
export function clearAuth(): void {
  useAuthStore.setState(signedOut);
}

/** Stores what a sign-in or a refresh brought. */
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
