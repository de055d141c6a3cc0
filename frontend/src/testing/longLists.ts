import { runtimeConfig, setRuntimeConfig } from "@/shared/config/runtime";

/** From now on, in this test, lists of more rows are too long to be loaded whole. */
export function loadWholeUpTo(wholeUpTo: number): void {
  setRuntimeConfig({ ...runtimeConfig(), wholeUpTo });
}
