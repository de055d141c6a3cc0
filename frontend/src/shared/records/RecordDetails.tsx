import { Switch } from "@blueprintjs/core";
import { type ReactNode, useState } from "react";
import { usePermission } from "@/shared/auth/permissions";
import { type FieldSpec, RecordView, wireName } from "@/shared/form";
import { MomentText } from "@/shared/format/MomentText";
import { actorName } from "@/shared/history";
import { useFailureToast } from "@/shared/toast";
import type { LoadedRecord, RecordDefinition } from "./definition";
import styles from "./history/history.module.css";
import type { Point } from "./history/paths";
import { useAuthors } from "./history/useHistory";

interface RecordDetailsProps {
  definition: RecordDefinition;
  loaded: LoadedRecord;
  point: Point | undefined;
}

/** A record's fields, and on demand who last set each. */
export function RecordDetails(props: RecordDetailsProps) {
  const [isAnnotated, setAnnotated] = useState(false);
  const mayAnnotate = usePermission("history:read");
  return (
    <>
      {mayAnnotate && (
        <Switch
          className={styles.switch ?? ""}
          role="switch"
          label="Who set this"
          checked={isAnnotated}
          onChange={(event) => setAnnotated(event.currentTarget.checked)}
        />
      )}
      {isAnnotated && mayAnnotate ? <AnnotatedRecord {...props} /> : <PlainRecord {...props} />}
    </>
  );
}

function PlainRecord({ definition, loaded, noteOf }: RecordDetailsProps & { noteOf?: NoteOf }) {
  return (
    <RecordView
      sections={definition.sections}
      values={loaded.values}
      hidden={loaded.hidden}
      {...(noteOf && { noteOf })}
    />
  );
}

type NoteOf = (field: FieldSpec) => ReactNode;

function AnnotatedRecord(props: RecordDetailsProps) {
  const { definition, loaded, point } = props;
  const { authors, error } = useAuthors(definition.api, loaded.id, point);
  useFailureToast(error, "Error", "Failed to load who set what. Please try again.");

  const noteOf = (field: FieldSpec) => {
    // An object is set as a whole.
    const [name = ""] = wireName(field).split(".");
    const author = authors?.get(name);
    if (!author || author.version === null || author.moment === null) return undefined;
    return (
      <>
        {actorName(author.actor)}, <MomentText moment={author.moment} /> (v{author.version})
      </>
    );
  };
  return <PlainRecord {...props} noteOf={noteOf} />;
}
