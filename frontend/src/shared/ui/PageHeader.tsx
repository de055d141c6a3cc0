import { ArrowLeft } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useDocumentTitle } from "./browser";
import styles from "./PageHeader.module.css";

interface PageHeaderProps {
  /** The screen's heading. */
  title: string;
  /** The document's title; by default the heading. Must not contain personal data, because browsers store it. */
  tabTitle?: string | undefined;
  subtitle?: string | undefined;
  /** The link of the arrow before the title. */
  back?: { to: string; label: string } | undefined;
  /** After the title, e.g. a {@link StatusBadge}. */
  badge?: ReactNode;
  /** The screen's buttons, the main one last. */
  actions?: ReactNode;
}

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
