import { Button, type Intent } from "@blueprintjs/core";
import { Download } from "@blueprintjs/icons";
import { useDownload } from "@/shared/table/useDownload";

interface DownloadButtonProps {
  text: string;
  /** API path of the file. */
  path: string;
  /** The file's name if the API gives none. */
  fallback: string;
  intent?: Intent;
}

/** A button that downloads a file from the API. */
export function DownloadButton({ text, path, fallback, intent = "none" }: DownloadButtonProps) {
  const { isUnderWay, download } = useDownload();
  const words = { name: fallback, done: "Downloaded", failed: "Failed to download" };
  return (
    <Button
      icon={<Download />}
      intent={intent}
      text={isUnderWay ? "Downloading..." : text}
      // Not disabled: that would lose the focus.
      aria-busy={isUnderWay}
      onClick={() => {
        if (!isUnderWay) void download(path, words);
      }}
    />
  );
}
