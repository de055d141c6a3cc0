import type { ComponentType } from "react";
import { useParams } from "react-router";
import type { DefinedScreen } from "@/shared/records/routes";
import { locationDefinition } from "./definition";
import { SampleLocation } from "./SampleLocation";
import { findSampleLocation } from "./sampleLocations";

/** A screen of a location; a sample is shown to be read, whatever the screen. */
export function orSample(Screen: DefinedScreen): ComponentType {
  return () => {
    const { id = "" } = useParams();
    const sample = findSampleLocation(id);
    return sample ? <SampleLocation location={sample} /> : <Screen definition={locationDefinition} />;
  };
}
