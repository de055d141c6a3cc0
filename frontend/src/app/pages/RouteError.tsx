import { Button } from "@blueprintjs/core";
import { Refresh } from "@blueprintjs/icons";
import { useEffect } from "react";
import { useRouteError } from "react-router";
import { ErrorState, useDocumentTitle } from "@/shared/ui";

/** A screen that broke, or whose code could not be fetched; the rest of the page goes on working. */
export function RouteError() {
  const error = useRouteError();
  const isMissingCode = error instanceof TypeError && /import|module|preload/i.test(error.message);
  useDocumentTitle("Something went wrong");
  useEffect(() => console.error("A screen failed.", error), [error]);
  return (
    <ErrorState
      level={1}
      title={isMissingCode ? "This page could not be loaded" : "Something went wrong on this page"}
      message={
        isMissingCode
          ? "The connection failed, or a newer version has been installed meanwhile. Reloading helps in both cases."
          : "What you saved is safe. Reloading usually helps; if it does not, please report what you did."
      }
      action={
        <Button icon={<Refresh />} onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    />
  );
}
