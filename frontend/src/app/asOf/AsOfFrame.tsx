import { Button } from "@blueprintjs/core";
import { History } from "@blueprintjs/icons";
import { type ReactNode, useEffect, useState } from "react";
import { Navigate, useLocation, useNavigationType } from "react-router";
import { BackToNow, hasPast, microseconds, readAsOf, useTimeTravel, withAsOf } from "@/shared/asOf";
import { Needs } from "@/shared/auth/Needs";
import { MomentText } from "@/shared/format/MomentText";
import { ErrorState } from "@/shared/ui";
import styles from "./asOf.module.css";

/**
 * Shows the moment in view above the screens, and adds it to the address when a link between managed screens does not
 * have it.
 */
export function AsOfFrame({ children }: { children: ReactNode }) {
  const location = useLocation();
  const wasLink = useNavigationType() !== "POP" && location.state?.toThePresent !== true;
  const asOf = hasPast(location.pathname) ? readAsOf(location.search) : null;
  const [kept, setKept] = useState(asOf);
  const { backToNow } = useTimeTravel();
  const isLost = asOf === null && kept !== null && hasPast(location.pathname) && wasLink;

  useEffect(() => {
    if (!isLost) setKept(asOf);
  }, [asOf, isLost]);

  if (isLost) {
    const { pathname, search, hash, state } = location;
    return <Navigate to={withAsOf(pathname + search + hash, kept)} replace state={state} />;
  }
  if (asOf === null) return children;
  const at = microseconds(asOf);
  if (Number.isNaN(at) || at / 1000 > Date.now()) {
    return (
      <ErrorState
        level={1}
        title={Number.isNaN(at) ? "This is not a valid moment" : "This moment is in the future"}
        message="Use a date and a time of the past with a time zone."
        action={<BackToNow />}
      />
    );
  }
  return (
    <Needs permissions={["history:read"]} to="view the past" back={<BackToNow />}>
      <section className={styles.banner} aria-label="Viewing the past">
        <History className="fl-rigid" aria-hidden />
        <p className="fl-fill">
          As of{" "}
          <strong>
            <MomentText moment={asOf} isExact />
          </strong>
          . Everything is read-only.
        </p>
        <Button size="small" className={styles.button ?? ""} text="Back to now" onClick={backToNow} />
      </section>
      {children}
    </Needs>
  );
}
