import { Button } from "@blueprintjs/core";
import { Search } from "@blueprintjs/icons";
import { use } from "react";
import { keyTexts } from "@/shared/keys";
import styles from "./PaletteField.module.css";
import { PALETTE_KEYS, PALETTE_NAME, PaletteContext } from "./palette";

/** The header's button that opens the palette: a mock input, or an icon on narrow screens. */
export function PaletteField({ className = "" }: { className: string | undefined }) {
  const { isOpen, open } = use(PaletteContext);
  return (
    <div className={styles.place}>
      <Button
        variant="minimal"
        icon={<Search />}
        className={`${className} ${styles.field}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-keyshortcuts={PALETTE_KEYS.keys.join(" ")}
        text={
          <span className={styles.text}>
            {PALETTE_NAME} <kbd aria-hidden>{keyTexts(PALETTE_KEYS)}</kbd>
          </span>
        }
        onClick={({ currentTarget }) => {
          // Safari does not focus a clicked button, but the palette returns the focus to it.
          currentTarget.focus({ preventScroll: true });
          open();
        }}
      />
    </div>
  );
}
