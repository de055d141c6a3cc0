import { NOTHING_HIDDEN, RecordView } from "@/shared/form";
import { useListAddress } from "@/shared/records/paths";
import { PageHeader, StatusBadge } from "@/shared/ui";
import { locationDefinition, type WireLocation } from "./definition";

/** A sample location, to be read and not to be changed; the server is not asked about it. */
export function SampleLocation({ location }: { location: WireLocation }) {
  const { api, heading, paths, sections, texts } = locationDefinition;
  const values = api.toValues(location);
  return (
    <>
      <PageHeader
        {...heading(values, location.id, NOTHING_HIDDEN)}
        badge={<StatusBadge label="Sample" tone="info" />}
        back={{ to: useListAddress(paths), label: texts.back }}
      />
      <RecordView sections={sections} values={values} />
    </>
  );
}
