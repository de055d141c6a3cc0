import { pathsBelow } from "@/shared/records/paths";

/** Where the horse screens are (specification, route table). */
export const horsePaths = pathsBelow("/management/horses");
