import { Classes } from "@blueprintjs/core";
import { type MouseEvent, type Ref, useEffect, useRef } from "react";
import type { Entry } from "./entries";
import styles from "./Palette.module.css";
import { useAddressAt } from "./useChoice";

interface PaletteItemProps {
  entry: Entry;
  id: string;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

/** An entry of the list; one that leads somewhere is a link to the mouse, which can open it elsewhere. */
export function PaletteItem({ entry, id, isActive, onPoint, onChoose }: PaletteItemProps) {
  const { title, detail, icon, to } = entry;
  const addressAt = useAddressAt();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isActive) element.current?.scrollIntoView?.({ block: "nearest" });
  }, [isActive]);
  const option = {
    id,
    role: "option",
    "aria-selected": isActive,
    // The field keeps the focus: it says which of them is meant.
    tabIndex: -1,
    className: styles.item,
    onMouseMove: isActive ? undefined : onPoint,
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: (event: MouseEvent) => {
      if (to !== undefined && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      onChoose();
    },
  };
  const content = (
    <>
      <span className={`${Classes.TEXT_MUTED} ${styles.icon}`}>{icon}</span>
      <span className={styles.title}>{title}</span>
      {detail && <span className={`fl-remark ${styles.detail}`}>{detail}</span>}
    </>
  );
  return to === undefined ? (
    <div {...option} ref={element as Ref<HTMLDivElement>}>
      {content}
    </div>
  ) : (
    <a {...option} ref={element as Ref<HTMLAnchorElement>} href={addressAt(to)}>
      {content}
    </a>
  );
}
