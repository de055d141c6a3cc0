import { pathsBelow } from "@/shared/records/paths";

/** Where the horse screens are (product.md: screens). */
export const horsePaths = pathsBelow("/management/horses");
