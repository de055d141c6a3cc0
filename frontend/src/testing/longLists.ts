import { runtimeConfig, setRuntimeConfig } from "@/shared/config/runtime";

/** For the rest of the test, load lists with more rows page by page. */
export function loadWholeUpTo(wholeUpTo: number): void {
  setRuntimeConfig({ ...runtimeConfig(), wholeUpTo });
}
