import { pathsBelow } from "@/shared/records/paths";

/** Where the trailer screens are (product.md: screens). */
export const trailerPaths = pathsBelow("/management/trailers");
