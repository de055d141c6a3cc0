import { AddRecordPage, EditRecordPage, ViewRecordPage } from "@/shared/records";
import { trailerDefinition } from "./definition";

/** The trailer form in its three modes. */
export const AddTrailerPage = () => <AddRecordPage definition={trailerDefinition} />;
export const ViewTrailerPage = () => <ViewRecordPage definition={trailerDefinition} />;
export const EditTrailerPage = () => <EditRecordPage definition={trailerDefinition} />;
