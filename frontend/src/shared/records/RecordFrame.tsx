import type { ReactNode } from "react";
import { useRecordVisit } from "@/shared/actions";
import { isNotFound } from "@/shared/api/client";
import { capitalized } from "@/shared/format/capitalized";
import { useFailureToast } from "@/shared/toast";
import {
  EmptyState,
  ErasedContext,
  ErrorState,
  LinkButton,
  LoadingState,
  PageHeader,
  type Query,
} from "@/shared/ui";
import type { LoadedRecord, RecordDefinition } from "./definition";
import { useListAddress } from "./paths";
import type { ToastText } from "./texts";

interface RecordFrameProps {
  definition: RecordDefinition;
  id: string;
  query: Query<LoadedRecord>;
  actions?: ReactNode;
  /** Before the actions, also without a record. */
  nav?: ReactNode;
  /** Shown if the record does not exist; by default the kind's text. */
  notFound?: ToastText | undefined;
  /** Next to the link back, if the record does not exist. */
  missingAction?: ReactNode;
  /** Title without a record; by default the noun. */
  missingTitle?: string | undefined;
  /** Keep showing a record that was removed meanwhile. */
  keepsMissing?: boolean;
  /** Wraps the record, or the message instead of it. */
  around?: (content: ReactNode, isMissing: boolean) => ReactNode;
  children: (loaded: LoadedRecord, isMissing: boolean) => ReactNode;
}

/** A record's screen: heading and content, or why the record cannot be shown. */
export function RecordFrame(props: RecordFrameProps) {
  const {
    definition,
    id,
    query,
    actions,
    nav,
    keepsMissing = false,
    around = (content) => content,
    children,
  } = props;
  const { api, texts, paths, heading, Names } = definition;
  const { data: loaded, error } = query;
  const listAddress = useListAddress(paths);
  const back = { to: listAddress, label: texts.back };
  const isMissing = isNotFound(error);
  const failure = isMissing ? undefined : error;
  useFailureToast(failure, "Error", texts.loadFailedToast);
  useRecordVisit(api.noun, id, loaded?.id === id && !isMissing);

  const content = (of: LoadedRecord) => around(children(of, isMissing), false);
  if (loaded !== undefined && (keepsMissing || !isMissing)) {
    const { title, ...remarks } = heading(loaded.values, id, loaded.hidden);
    return (
      <ErasedContext value={loaded.wire.erased !== undefined}>
        <PageHeader
          title={title || id}
          {...remarks}
          back={back}
          actions={
            <>
              {nav}
              {actions}
            </>
          }
        />
        {Names ? <Names values={loaded.values}>{content(loaded)}</Names> : content(loaded)}
      </ErasedContext>
    );
  }
  const { notFound = texts.notFound, missingTitle = capitalized(api.noun) } = props;
  const backLink = <LinkButton key="back" to={listAddress} text={texts.back} />;
  return (
    <ErasedContext value={false}>
      <PageHeader title={missingTitle} back={back} actions={nav} />
      {around(
        isMissing ? (
          <EmptyState {...notFound} action={[backLink, props.missingAction]} />
        ) : failure !== undefined ? (
          <ErrorState
            error={failure}
            {...texts.loadFailed}
            onRetry={() => window.location.reload()}
            action={backLink}
          />
        ) : (
          <LoadingState label={texts.loading} />
        ),
        isMissing,
      )}
    </ErasedContext>
  );
}
