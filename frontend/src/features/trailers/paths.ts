import { pathsBelow } from "@/shared/records/paths";

/** Where the trailer screens are (specification, route table). */
export const trailerPaths = pathsBelow("/management/trailers");
