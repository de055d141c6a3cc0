import { useParams } from "react-router";
import { EditRecordPage, ViewRecordPage } from "@/shared/records";
import { locationDefinition } from "./definition";
import { SampleLocation } from "./SampleLocation";
import { findSampleLocation } from "./sampleLocations";

/* The location form, to view and to edit; a sample is shown to be read, whatever the mode. */

export function ViewLocationPage() {
  const sample = useSample();
  return sample ? <SampleLocation location={sample} /> : <ViewRecordPage definition={locationDefinition} />;
}

export function EditLocationPage() {
  const sample = useSample();
  return sample ? <SampleLocation location={sample} /> : <EditRecordPage definition={locationDefinition} />;
}

function useSample() {
  const { id = "" } = useParams();
  return findSampleLocation(id);
}
