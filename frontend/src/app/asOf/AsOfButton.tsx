import { History } from "@blueprintjs/icons";
import { useState } from "react";
import { useLocation } from "react-router";
import { HeaderButton } from "@/app/shell/HeaderButton";
import { useScreenActions } from "@/shared/actions";
import { hasPast, readAsOf, useTimeTravel } from "@/shared/asOf";
import { AsOfDialog } from "./AsOfDialog";

const NAME = "View as of…";

/** In the header: asks for a moment, and leads there. */
export function AsOfButton() {
  const [isOpen, setOpen] = useState(false);
  const { pathname, search } = useLocation();
  const { goTo } = useTimeTravel();
  const asOf = hasPast(pathname) ? readAsOf(search) : null;
  useScreenActions([{ text: NAME, icon: <History />, onSelect: () => setOpen(true) }], "frame");
  return (
    <>
      <HeaderButton name={NAME} icon={<History />} isOpen={isOpen} onClick={() => setOpen(true)} />
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
