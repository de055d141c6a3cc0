import { Button } from "@blueprintjs/core";
import { Endorsed } from "@blueprintjs/icons";
import { lazy, Suspense, useState } from "react";
import { Permitted } from "@/shared/auth/permissions";
import type { AuditFileProps } from "./AuditFileDialog";

const Dialog = lazy(async () => ({ default: (await import("./AuditFileDialog")).AuditFileDialog }));

interface AuditFileButtonProps extends Omit<AuditFileProps, "isOpen" | "onClose"> {
  size?: "small";
  isDisabled?: boolean;
}

/** Opens the dialog that creates an audit file. */
export function AuditFileButton({ size, isDisabled = false, ...props }: AuditFileButtonProps) {
  const [isOpen, setOpen] = useState(false);
  // Each opening begins anew; the closed dialog stays, because it returns the focus.
  const [openings, setOpenings] = useState(0);
  return (
    <Permitted to="audit:read">
      <Button
        icon={<Endorsed />}
        {...(size && { size })}
        text="Audit File"
        aria-haspopup="dialog"
        disabled={isDisabled}
        onClick={() => {
          setOpen(true);
          setOpenings(openings + 1);
        }}
      />
      {openings > 0 && (
        <Suspense fallback={null}>
          <Dialog key={openings} {...props} isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Permitted>
  );
}
