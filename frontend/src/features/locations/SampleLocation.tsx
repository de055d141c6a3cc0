import type { ComponentType } from "react";
import { useParams } from "react-router";
import { NOTHING_HIDDEN, RecordView } from "@/shared/form";
import { useListAddress } from "@/shared/records/paths";
import type { DefinedScreen } from "@/shared/records/routes";
import { PageHeader } from "@/shared/ui";
import { locationDefinition, type WireLocation } from "./definition";
import { findSampleLocation } from "./sampleLocations";

/** A screen of a location that shows samples read-only, without a server call. */
export function orSample(Screen: DefinedScreen): ComponentType {
  return () => {
    const { id = "" } = useParams();
    const sample = findSampleLocation(id);
    return sample ? <SampleLocation location={sample} /> : <Screen definition={locationDefinition} />;
  };
}

function SampleLocation({ location }: { location: WireLocation }) {
  const { api, heading, paths, sections, texts } = locationDefinition;
  const values = api.toValues(location);
  return (
    <>
      <PageHeader
        {...heading(values, location.id, NOTHING_HIDDEN)}
        isSample
        back={{ to: useListAddress(paths), label: texts.back }}
      />
      <RecordView sections={sections} values={values} />
    </>
  );
}
