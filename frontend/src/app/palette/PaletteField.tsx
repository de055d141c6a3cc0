import { Button } from "@blueprintjs/core";
import { Search } from "@blueprintjs/icons";
import { keyTexts } from "@/shared/keys";
import styles from "./PaletteField.module.css";
import { PALETTE_KEYS, PALETTE_NAME, usePalette } from "./palette";

/** In the middle of the header: looks like the field that it opens; where there is no room, an icon. */
export function PaletteField() {
  const { isOpen, open } = usePalette();
  return (
    <div className={styles.place}>
      <Button
        variant="minimal"
        icon={<Search />}
        className={styles.field}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-keyshortcuts={PALETTE_KEYS.keys.join(" ")}
        text={
          <span className={styles.text}>
            {PALETTE_NAME} <kbd aria-hidden>{keyTexts(PALETTE_KEYS)}</kbd>
          </span>
        }
        onClick={({ currentTarget }) => {
          // Where a click gives no focus, the palette gives it back to the button all the same.
          currentTarget.focus({ preventScroll: true });
          open();
        }}
      />
    </div>
  );
}
