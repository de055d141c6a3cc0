import {
  Blank,
  CaretDown,
  Cross,
  Edit,
  FloppyDisk,
  Link,
  Plus,
  Refresh,
  Tick,
  Trash,
} from "@blueprintjs/icons";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "react-router";
import { failureText } from "@/shared/auth/refusal";
import { copyText, toast } from "@/shared/toast";
import { ConfirmDialog } from "@/shared/ui";
import { type RowAction, RowMenu } from "../RowMenu";
import { useAddressParams } from "../useAddressParams";
import { type SavedView, useSavedViews } from "./useSavedViews";
import { changesToView, isAsSaved, sharedQuery, VIEW, viewQuery } from "./viewQuery";
import styles from "./views.module.css";

const NameDialog = lazy(async () => ({ default: (await import("./NameDialog")).NameDialog }));

interface ViewsButtonProps {
  /** The list's name, e.g. `drivers`. */
  list: string;
  /** The parameters that filter the list. */
  narrowing: readonly string[];
  columns: readonly { id: string }[];
  /** Ids of the hidden columns. */
  hidden: ReadonlySet<string>;
}

/** The user's saved views of a list: opens, saves, renames, shares and deletes them. */
export function ViewsButton({ list, narrowing, columns, hidden }: ViewsButtonProps) {
  const [params, update] = useAddressParams();
  const { pathname } = useLocation();
  const { views, error, retry, keep, drop } = useSavedViews(list);
  // The open dialog: a name for a new view, a new name for the open view, or the question before deleting it.
  const [asking, setAsking] = useState<"new" | "rename" | "delete">();
  const shown = columns.filter(({ id }) => !hidden.has(id)).map(({ id }) => id);
  const current = viewQuery(params, narrowing, shown);
  const open = views?.find(({ id }) => id === params.get(VIEW));
  const isChanged = open !== undefined && !isAsSaved(current, open.query, narrowing, columns);

  const show = (view?: SavedView) => update(changesToView(view?.query ?? "", narrowing, view?.id ?? null));
  const save = async (id: string, name: string, query: string) => {
    const kept = await keep(id, name, query);
    update({ [VIEW]: kept.id });
    toast.show({ title: "View saved", message: kept.name, intent: "success" });
  };
  const report = (failed: Promise<void>) =>
    failed.catch((error: unknown) =>
      toast.show({ title: "Failed to save the view", message: failureText(error), intent: "danger" }),
    );
  const link = () => `${window.location.origin}${pathname}?${sharedQuery(params, current)}`;

  const actions: readonly (RowAction | false | undefined)[] = [
    error !== undefined && {
      text: "Failed to load your views. Try Again",
      icon: <Refresh />,
      onSelect: retry,
    },
    ...(views ?? []).map((view) => ({
      id: view.id,
      text: view.name,
      icon: view === open ? <Tick title="Open" /> : <Blank />,
      onSelect: () => show(view),
    })),
    open && { text: "Show the whole list", icon: <Cross />, onSelect: () => show() },
    { text: "Save as…", icon: <Plus />, isApart: true, onSelect: () => setAsking("new") },
    open &&
      isChanged && {
        text: "Update this view",
        icon: <FloppyDisk />,
        onSelect: () => void report(save(open.id, open.name, current)),
      },
    open && { text: "Rename this view…", icon: <Edit />, onSelect: () => setAsking("rename") },
    {
      text: "Copy link",
      icon: <Link />,
      onSelect: () => void copyText(link(), "Link to this view copied to your clipboard"),
    },
    open && {
      text: "Delete this view",
      icon: <Trash />,
      destructive: true,
      onSelect: () => setAsking("delete"),
    },
  ];
  const changed = isChanged ? " (changed)" : "";
  return (
    <>
      <RowMenu
        label={open ? `View: ${open.name}${changed}` : "Views"}
        button={{
          text: open ? (
            <span className={styles.open}>
              <span className="fl-ellipsis">{open.name}</span>
              <span>{changed}</span>
            </span>
          ) : (
            "Views"
          ),
          endIcon: <CaretDown />,
        }}
        actions={actions}
      />
      {asking !== undefined && asking !== "delete" && (
        <Suspense>
          <NameDialog
            title={asking === "new" ? "Save View" : "Rename View"}
            name={asking === "rename" ? open?.name : undefined}
            taken={(views ?? []).filter((view) => asking === "new" || view !== open).map(({ name }) => name)}
            send={(name, newId) =>
              asking === "rename" && open ? save(open.id, name, open.query) : save(newId, name, current)
            }
            onClose={() => setAsking(undefined)}
          />
        </Suspense>
      )}
      <ConfirmDialog
        isOpen={asking === "delete" && open !== undefined}
        title="Delete View"
        message={`Are you sure you want to delete the view “${open?.name}”? The list stays as it is.`}
        confirmLabel="Delete View"
        onCancel={() => setAsking(undefined)}
        onConfirm={() => {
          setAsking(undefined);
          if (open) void report(drop(open.id).then(() => update({ [VIEW]: null })));
        }}
      />
    </>
  );
}
