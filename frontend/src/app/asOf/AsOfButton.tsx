import { History } from "@blueprintjs/icons";
import { HeaderButton } from "@/app/shell/HeaderButton";

const loadDialog = async () => (await import("./AsOfDialog")).AsOfDialog;

/** In the header: asks for a moment, and leads there. */
export function AsOfButton() {
  return (
    <HeaderButton name="View as of…" icon={<History />} load={loadDialog} what="the choice of a moment" />
  );
}
