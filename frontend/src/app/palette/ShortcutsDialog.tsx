import { Dialog, DialogBody } from "@blueprintjs/core";
import { Fragment, useState } from "react";
import { activeShortcuts, GROUPS, keyTexts } from "@/shared/keys";
import type { PanelProps } from "../useLazyPanel";
import { HELP_KEYS } from "./palette";
import styles from "./ShortcutsDialog.module.css";

/** The shortcuts of the screen at the time the dialog opened, because the dialog has keys of its own. */
export function ShortcutsDialog({ isOpen, onClose }: PanelProps) {
  const [shortcuts] = useState(activeShortcuts);
  return (
    <Dialog isOpen={isOpen} title={HELP_KEYS.does} onClose={onClose}>
      <DialogBody>
        {GROUPS.filter((title) => shortcuts.some(({ group }) => group === title)).map((title) => (
          <section key={title} className={styles.group} aria-label={title}>
            <h3 className="fl-heading">{title}</h3>
            <dl>
              {shortcuts
                .filter(({ group }) => group === title)
                .map((one) => (
                  <div key={one.does} className={styles.line}>
                    <dt>{one.does}</dt>
                    <dd className="fl-muted">
                      {keyTexts(one).map((text, index) => (
                        <Fragment key={text}>
                          {index > 0 && " or "}
                          <kbd>{text}</kbd>
                        </Fragment>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </DialogBody>
    </Dialog>
  );
}
