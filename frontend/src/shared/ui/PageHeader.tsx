import { ArrowLeft } from "@blueprintjs/icons";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useDocumentTitle } from "./browser";
import styles from "./PageHeader.module.css";
import { StatusBadge } from "./StatusBadge";

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
  /** The screen shows sample data, which is on no server. */
  isSample?: boolean;
  /** The screen's buttons, the main one last. */
  actions?: ReactNode;
}

export function PageHeader(props: PageHeaderProps) {
  const { title, tabTitle = title, subtitle, back, badge, isSample, actions } = props;
  useDocumentTitle(tabTitle);
  return (
    <header className={`fl-row ${styles.header}`}>
      {back && (
        <Link to={back.to} className={styles.back} aria-label={back.label} title={back.label}>
          <ArrowLeft aria-hidden />
        </Link>
      )}
      <div className={styles.titles}>
        <div className="fl-row">
          <h1 className="fl-title">{title}</h1>
          {badge}
          {isSample && <StatusBadge label="Sample data" tone="info" />}
        </div>
        {subtitle && <p className={`fl-muted ${styles.subtitle}`}>{subtitle}</p>}
      </div>
      {actions && <div className="fl-row">{actions}</div>}
    </header>
  );
}
