import { pathsBelow } from "@/shared/records/paths";

/** Where the driver screens are (product.md: screens). */
export const driverPaths = pathsBelow("/management/drivers");
