import { Button, Tooltip } from "@blueprintjs/core";
import { History } from "@blueprintjs/icons";
import { useState } from "react";
import { useLocation } from "react-router";
import { hasPast, readAsOf, useTimeTravel } from "@/shared/asOf";
import { TOOLTIP_DELAY } from "@/shared/ui/tooltip";
import { AsOfDialog } from "./AsOfDialog";

const NAME = "View as of…";

/** In the header: asks for a moment, and leads there. */
export function AsOfButton({ className = "" }: { className?: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { pathname, search } = useLocation();
  const { goTo } = useTimeTravel();
  const asOf = hasPast(pathname) ? readAsOf(search) : null;
  return (
    <>
      <Tooltip
        content={NAME}
        hoverOpenDelay={TOOLTIP_DELAY}
        placement="bottom"
        // A child's word on what it opens would be overruled by the tooltip's.
        renderTarget={({ isOpen: _, className: targetClass = "", ...target }) => (
          <Button
            {...target}
            variant="minimal"
            icon={<History />}
            aria-label={NAME}
            aria-haspopup="dialog"
            className={`${targetClass} ${className}`}
            onClick={() => setOpen(true)}
          />
        )}
      />
      <AsOfDialog
        isOpen={isOpen}
        asOf={asOf}
        onClose={() => setOpen(false)}
        onView={(moment) => {
          setOpen(false);
          goTo(moment);
        }}
      />
    </>
  );
}
