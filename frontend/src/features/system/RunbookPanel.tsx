import { SidePanel } from "@/shared/ui/SidePanel";
import { type Block, piecesOf, runbookOf } from "./runbooks";
import styles from "./system.module.css";
import type { Alert } from "./wire";

/** An alert's runbook in a side panel. It is part of the bundle, so it can be read when the server is down. */
export function RunbookPanel({
  alert,
  isOpen,
  onClose,
}: {
  alert: Alert;
  isOpen: boolean;
  onClose: () => void;
}) {
  const blocks = runbookOf(alert);
  return (
    <SidePanel title="What to do" isOpen={isOpen} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it */}
      <section className={styles.runbook} aria-label={alert.name} tabIndex={0}>
        <h3>{alert.summary}</h3>
        <p className="fl-remark">{alert.name}</p>
        {blocks?.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <BlockText key={index} block={block} />
        )) ?? <p>Nothing is written about this alert. ./fleetlog doctor looks at everything.</p>}
      </section>
    </SidePanel>
  );
}

function BlockText({ block }: { block: Block }) {
  if (block.kind === "paragraph") return <p>{inline(block.text)}</p>;
  return (
    <ul>
      {block.items.map((item) => (
        <li key={item}>{inline(item)}</li>
      ))}
    </ul>
  );
}

function inline(text: string) {
  return piecesOf(text).map(({ kind, text: piece, href }, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: they never change
    if (kind === "code") return <code key={index}>{piece}</code>;
    if (kind === "text") return piece;
    return (
      <a key={index} href={href} target="_blank" rel="noreferrer">
        {piece}
      </a>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: they never change
  });
}
