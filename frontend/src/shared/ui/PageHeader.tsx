import { ArrowLeft } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useDocumentTitle } from "./browser";
import styles from "./PageHeader.module.css";

interface PageHeaderProps {
  /** The screen's heading. */
  title: string;
  /** Names the browser tab; without it the heading does. The browser keeps it: nothing personal. */
  tabTitle?: string | undefined;
  subtitle?: string | undefined;
  /** Where the arrow before the title leads, and how it is called. */
  back?: { to: string; label: string } | undefined;
  /** Beside the title, e.g. a {@link StatusBadge}. */
  badge?: ReactNode;
  /** The screen's buttons, the main one last. */
  actions?: ReactNode;
}

/** The top of every screen. */
export function PageHeader({ title, tabTitle = title, subtitle, back, badge, actions }: PageHeaderProps) {
  useDocumentTitle(tabTitle);
  return (
    <header className={styles.header}>
      {back && (
        <Link to={back.to} className={styles.back} aria-label={back.label} title={back.label}>
          <ArrowLeft aria-hidden />
        </Link>
      )}
      <div className={styles.titles}>
        <div className={styles.titleLine}>
          <h1 className={styles.title}>{title}</h1>
          {badge}
        </div>
        {subtitle && <p className={styles.subtitle}>{subtitle}</p>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
