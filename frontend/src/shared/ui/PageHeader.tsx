import { ArrowLeft } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Link } from "react-router";
import styles from "./PageHeader.module.css";
import { useDocumentTitle } from "./useDocumentTitle";

interface PageHeaderProps {
  /** The screen's heading; names the browser tab as well. */
  title: string;
  subtitle?: string | undefined;
  /** Where the arrow before the title leads, and how it is called. */
  back?: { to: string; label: string } | undefined;
  /** Beside the title, e.g. a {@link StatusBadge}. */
  badge?: ReactNode;
  /** The screen's buttons, the main one last. */
  actions?: ReactNode;
}

/** The top of every screen. */
export function PageHeader({ title, subtitle, back, badge, actions }: PageHeaderProps) {
  useDocumentTitle(title);
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
