import { AddRecordPage, EditRecordPage, ViewRecordPage } from "@/shared/records";
import { driverDefinition } from "./definition";

/** The driver form in its three modes. */
export const AddDriverPage = () => <AddRecordPage definition={driverDefinition} />;
export const ViewDriverPage = () => <ViewRecordPage definition={driverDefinition} />;
export const EditDriverPage = () => <EditRecordPage definition={driverDefinition} />;
