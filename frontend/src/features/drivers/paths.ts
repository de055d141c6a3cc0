import { pathsBelow } from "@/shared/records/paths";

/** Where the driver screens are (specification, route table). */
export const driverPaths = pathsBelow("/management/drivers");
