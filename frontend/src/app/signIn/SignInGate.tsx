import { Button } from "@blueprintjs/core";
import { LogIn, SmallTick } from "@blueprintjs/icons";
import { type ReactNode, useEffect, useState } from "react";
import { SWRConfig } from "swr";
import { queryDefaults } from "@/shared/api/queryDefaults";
import { useAuthStore } from "@/shared/auth/authStore";
import { PRODUCT_NAME } from "@/shared/config/product";
import { toast } from "@/shared/toast";
import { GateCard, LoadingCard } from "./GateCard";
import styles from "./GateCard.module.css";
import { useIdentity } from "./useIdentity";
import { useSignIn } from "./useSignIn";
import { WithMe } from "./WithMe";

/**
 * Shows its children to signed-in users only. When a session expires, they stay mounted but hidden, so that the same user
 * finds unsaved input after signing in again.
 */
export function SignInGate({ children }: { children: ReactNode }) {
  const { user, error, isLoading: isIdentityLoading } = useIdentity();
  const isLoading = useAuthStore((state) => state.isLoading) || isIdentityLoading;
  const [seenSub, setSeenSub] = useState<string>();
  const isOpen = user !== undefined && !isLoading;
  const isInterrupted = !isOpen && seenSub !== undefined;

  if (isOpen && user.sub !== seenSub) setSeenSub(user.sub);
  useWaitingOverlays(isInterrupted);

  return (
    <>
      {seenSub !== undefined && (
        <div hidden={!isOpen}>
          {/* Another user gets a new cache and new screens. */}
          <SWRConfig key={seenSub} value={{ ...queryDefaults, provider: () => new Map() }}>
            <WithMe>{children}</WithMe>
          </SWRConfig>
        </div>
      )}
      {!isOpen &&
        (isLoading ? (
          <LoadingCard />
        ) : isInterrupted ? (
          <InterruptedCard reason={error?.message} />
        ) : error ? (
          <FailedCard message={error.message} />
        ) : (
          <Welcome />
        ))}
    </>
  );
}

function FailedCard({ message }: { message: string }) {
  useEffect(dropSpentCallback, []);
  return (
    <GateCard title="Authentication Error">
      <p role="alert">{message}</p>
      <Button intent="primary" fill size="large" onClick={() => window.location.reload()}>
        Retry
      </Button>
    </GateCard>
  );
}

function InterruptedCard({ reason }: { reason: string | undefined }) {
  const { signInBeside } = useSignIn();
  return (
    <GateCard title="Your session has ended">
      <p>Sign in again to continue. Your input is kept, but changes being saved were not saved.</p>
      {reason && <p role="alert">{reason}</p>}
      {/* The focused element was hidden with its screen. */}
      <Button autoFocus intent="primary" fill size="large" onClick={() => void signInBeside()}>
        Sign In
      </Button>
    </GateCard>
  );
}

/** Remove the callback's code and state from the address, because they are valid once. */
function dropSpentCallback(): void {
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

/**
 * Hides dialogs and menus of the hidden screens, which are portals in the body, and silences toasts of requests that the
 * end of the session interrupted.
 */
function useWaitingOverlays(areWaiting: boolean): void {
  useEffect(() => {
    if (!areWaiting) return;
    const unsilence = toast.silence();
    document.body.classList.add("fl-interrupted");
    return () => {
      document.body.classList.remove("fl-interrupted");
      unsilence();
    };
  }, [areWaiting]);
}

const features = ["User authentication", "Profile management", "Secure API access", "Role-based permissions"];

function Welcome() {
  const { signIn } = useSignIn();
  return (
    <GateCard title={`Welcome to ${PRODUCT_NAME}`}>
      <p>Sign in to access your fleet management dashboard</p>
      <Button intent="primary" fill size="large" icon={<LogIn />} onClick={() => void signIn()}>
        Sign In
      </Button>
      <ul className={styles.features} aria-label="Features">
        {features.map((feature) => (
          <li key={feature}>
            <SmallTick aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
    </GateCard>
  );
}
