import { Button } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { useState } from "react";
import { Notice } from "./Notice";

interface RetryNoticeProps {
  text: string;
  /** Tries at once, rather than at the next calm interval. */
  onRetry: () => Promise<unknown>;
}

/** Something on the screen below could not be loaded. */
export function RetryNotice({ text, onRetry }: RetryNoticeProps) {
  const [isRetrying, setRetrying] = useState(false);
  const tryAgain = () => {
    setRetrying(true);
    onRetry().finally(() => setRetrying(false));
  };
  return (
    <Notice
      role="status"
      intent="danger"
      action={<Button icon={<Refresh />} text="Try Again" loading={isRetrying} onClick={tryAgain} />}
    >
      {text}
    </Notice>
  );
}
