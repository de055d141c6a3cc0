import { useEffect, useRef, useState } from "react";
import { apiClient } from "@/shared/api/client";
import { refusalText } from "@/shared/auth/refusal";
import { toast } from "@/shared/toast/toastStore";
import { saveFile } from "./csv";

/** The texts of a download. */
interface DownloadWords {
  /** The file's name if the server gives none. */
  name: string;
  done: string;
  failed: string;
}

/** Download files from the API, one at a time; leaving the screen aborts the download. */
export function useDownload() {
  const [isUnderWay, setUnderWay] = useState(false);
  const [bytes, setBytes] = useState(0);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const download = async (path: string, words: DownloadWords) => {
    const started = new AbortController();
    controller.current = started;
    const { signal } = started;
    setUnderWay(true);
    setBytes(0);
    try {
      const { content, name = words.name } = await apiClient.download(path, { signal, onProgress: setBytes });
      saveFile(name, content, content.type);
      toast.show({ title: words.done, message: name, intent: "success" });
    } catch (error) {
      if (!signal.aborted) {
        toast.show({
          title: words.failed,
          message: refusalText(error) ?? "Nothing was saved. Please try again.",
          intent: "danger",
        });
      }
    } finally {
      setUnderWay(false);
    }
  };
  return { isUnderWay, bytes, download, cancel: () => controller.current?.abort() };
}
