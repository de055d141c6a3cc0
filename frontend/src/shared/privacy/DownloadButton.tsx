import { Button, type Intent } from "@blueprintjs/core";
import { Download } from "@blueprintjs/icons";
import { useState } from "react";
import { apiClient } from "@/shared/api/client";
import { failureText } from "@/shared/form/failureText";
import { saveFile } from "@/shared/table/saveFile";
import { toast } from "@/shared/toast";

interface DownloadButtonProps {
  text: string;
  /** Of the API. */
  path: string;
  /** What the file is called where the API does not say. */
  fallback: string;
  intent?: Intent;
}

/** Hands the reader a file of the API's. */
export function DownloadButton({ text, path, fallback, intent = "none" }: DownloadButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const { content, name = fallback } = await apiClient.download(path);
      saveFile(name, content, content.type);
      toast.show({ title: "Downloaded", message: name, intent: "success" });
    } catch (error) {
      toast.show({ title: "Failed to download", message: failureText(error), intent: "danger" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      icon={<Download />}
      intent={intent}
      text={isBusy ? "Downloading..." : text}
      // Not disabled: that would lose the focus.
      aria-busy={isBusy}
      onClick={() => {
        if (!isBusy) void download();
      }}
    />
  );
}
