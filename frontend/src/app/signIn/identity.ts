/** The signed-in user, from the ID token's claims. */
export interface IdentityUser {
  sub: string;
  name?: string | undefined;
  email?: string | undefined;
  picture?: string | undefined;
  idToken: string;
}

/** What the product needs to sign in. Errors of OAuth have its code as `error`. */
export interface IdentityClient {
  /** Restore the session without interaction; resolves also if this is not possible. */
  restoreSession(): Promise<void>;
  /** Finish a sign-in with the code or error in the address. Returns the path where it began. */
  finishRedirect(): Promise<string | undefined>;
  user(): Promise<IdentityUser | undefined>;
  /**
   * Return an access token without interaction.
   * @param isRenewed a new one, also if the present one is valid for more than a minute.
   */
  accessToken(isRenewed: boolean): Promise<string | undefined>;
  signInByRedirect(returnTo: string): Promise<void>;
  signInByPopup(): Promise<void>;
  /** Forget the session in this browser. */
  forget(): Promise<void>;
  /** End the session here and at the provider, which returns to the origin. */
  signOut(): Promise<void>;
}

export const SCOPE = "openid profile email";
/** Of requests to the provider, in seconds. */
export const TIMEOUT = 10;
export const LEEWAY = 60;

/** An error of OAuth (RFC 6749, section 4.1.2.1). */
export class IdentityError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** Return what a library threw as an error with a message. */
export function asError(thrown: unknown, fallback: string): Error {
  if (thrown instanceof Error) return thrown;
  const { error, error_description: description } = (thrown ?? {}) as Record<string, unknown>;
  if (typeof error !== "string") return new Error(fallback);
  return new IdentityError(error, typeof description === "string" ? description : error);
}
