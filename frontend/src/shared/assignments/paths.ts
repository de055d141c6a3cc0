import { pathsBelow } from "@/shared/records/paths";

export const assignmentPaths = pathsBelow("/management/assignments");
