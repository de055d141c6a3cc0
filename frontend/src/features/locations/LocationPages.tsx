import { AddRecordPage, EditRecordPage, ViewRecordPage } from "@/shared/records";
import { locationDefinition } from "./definition";

/** The location form in its three modes. */
export const AddLocationPage = () => <AddRecordPage definition={locationDefinition} />;
export const ViewLocationPage = () => <ViewRecordPage definition={locationDefinition} />;
export const EditLocationPage = () => <EditRecordPage definition={locationDefinition} />;
