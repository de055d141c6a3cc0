import { useAuth0 } from "@auth0/auth0-react";
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
import { useSignIn } from "./useSignIn";
import { WithMe } from "./WithMe";

/**
 * Shows its children to signed-in users only. When a session ends by itself they stay, out of sight, so
 * that what was being typed is still there after the same user has signed in again.
 */
export function SignInGate({ children }: { children: ReactNode }) {
  const { isAuthenticated, isLoading: isSdkLoading, user, error } = useAuth0();
  const isLoading = useAuthStore((state) => state.isLoading) || isSdkLoading;
  const [seenSub, setSeenSub] = useState<string>();
  const isOpen = isAuthenticated && !isLoading;
  const isInterrupted = !isOpen && seenSub !== undefined;

  if (isOpen && user?.sub !== undefined && user.sub !== seenSub) setSeenSub(user.sub);
  useWaitingOverlays(isInterrupted);

  return (
    <>
      {seenSub !== undefined && (
        <div hidden={!isOpen}>
          {/* Another user gets another cache, and none of the screens' state. */}
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
      <p>
        Sign in again to go on where you were: nothing you typed is lost. What was being saved is not saved
        yet.
      </p>
      {reason && <p role="alert">{reason}</p>}
      {/* The focus has vanished together with the screen it was on. */}
      <Button autoFocus intent="primary" fill size="large" onClick={() => void signInBeside()}>
        Sign In
      </Button>
    </GateCard>
  );
}

/** A callback's code and state work once: reloading the page must not present them again. */
function dropSpentCallback(): void {
  window.history.replaceState(window.history.state, "", window.location.pathname);
}

/**
 * Dialogs and menus of the hidden screens live outside them, directly below the body. What the end of the session has
 * broken off would raise toasts that contradict the card.
 */
function useWaitingOverlays(areWaiting: boolean): void {
  useEffect(() => {
    if (!areWaiting) return;
    const speakAgain = toast.silence();
    document.body.classList.add("fl-interrupted");
    return () => {
      document.body.classList.remove("fl-interrupted");
      speakAgain();
    };
  }, [areWaiting]);
}

const features = ["User authentication", "Profile management", "Secure API access", "Role-based permissions"];

/** What somebody sees who is not signed in. */
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
