import { apiClient } from "@/shared/api/client";
import { toast } from "@/shared/toast/toastStore";
import { saveFile } from "./csv";
import { useTask } from "./useTask";

/**
 * Download files from the API, one at a time; leaving the screen aborts the download. A file that the server gives no
 * name gets the one in `words`.
 */
export function useDownload() {
  const { done: bytes, run, ...task } = useTask();

  const download = (path: string, words: { name: string; done: string; failed: string }) =>
    run(
      async (options) => {
        const { content, name = words.name } = await apiClient.download(path, options);
        saveFile(name, content, content.type);
        toast.show({ title: words.done, message: name, intent: "success" });
      },
      { title: words.failed, message: "Nothing was saved. Please try again." },
    );
  return { ...task, bytes, download };
}
