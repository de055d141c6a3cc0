import { Button, type ButtonProps } from "@blueprintjs/core";
import { useQuickChange } from "@/shared/records/useQuickChange";
import { useRecordCommands } from "@/shared/records/useRecordCommands";
import { definition, END_NOW } from "./definition";

interface EndButtonProps extends Pick<ButtonProps, "size"> {
  /** The id of the assignment. */
  id: string;
  onBegin?: () => void;
  onDone?: () => void;
}

/** Ends an assignment now, without a reason. */
export function EndButton({ id, onBegin, onDone, ...button }: EndButtonProps) {
  const { reload } = useRecordCommands(definition);
  const { isBusy, change } = useQuickChange(definition);
  const end = async () => {
    onBegin?.();
    if (await change(END_NOW, () => reload(id))) onDone?.();
  };
  const { icon, text } = END_NOW;
  return <Button {...button} icon={icon} text={text} loading={isBusy} onClick={() => void end()} />;
}
