import { Spinner, SpinnerSize } from "@blueprintjs/core";
import type { ReactNode } from "react";
import { Logo } from "@/app/shell/Logo";
import { PRODUCT_NAME } from "@/shared/config/product";
import { useDocumentTitle } from "@/shared/ui";
import styles from "./GateCard.module.css";

/** The frame of all screens before sign-in. */
export function GateCard({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(title.includes(PRODUCT_NAME) ? "" : title);
  return (
    <main className={styles.page}>
      <section className={styles.card} aria-labelledby="gate-title">
        <div className={styles.band}>
          <Logo />
        </div>
        <div className={styles.body}>
          <h1 id="gate-title" className="fl-title">
            {title}
          </h1>
          {children}
        </div>
      </section>
    </main>
  );
}

/** Shown until the user and their permissions are known, above the frame of index.html. */
export function LoadingCard() {
  return (
    <GateCard title="Loading...">
      <div role="status" data-starting>
        <Spinner size={SpinnerSize.SMALL} aria-hidden />
        <p>Loading authentication...</p>
      </div>
    </GateCard>
  );
}
