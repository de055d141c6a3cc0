import { AddRecordPage, EditRecordPage, ViewRecordPage } from "@/shared/records";
import { horseDefinition } from "./definition";

/** The horse form in its three modes. */
export const AddHorsePage = () => <AddRecordPage definition={horseDefinition} />;
export const ViewHorsePage = () => <ViewRecordPage definition={horseDefinition} />;
export const EditHorsePage = () => <EditRecordPage definition={horseDefinition} />;
