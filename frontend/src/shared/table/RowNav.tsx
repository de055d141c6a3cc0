import { Button, ButtonGroup } from "@blueprintjs/core";
import { ChevronLeft, ChevronRight } from "@blueprintjs/icons";
import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { apiClient } from "@/shared/api/client";
import { grouped } from "@/shared/format/counted";
import { keyTexts, type Shortcut, useShortcut } from "@/shared/keys";
import { toast } from "@/shared/toast/toastStore";
import styles from "./RowNav.module.css";
import { orderBehind, type RowOrder } from "./rowOrder";
import type { ListState } from "./useAddressParams";

interface RowNavProps {
  /** The record's id. */
  id: string;
  /** The record's kind, e.g. `driver`. */
  noun: string;
  hrefOf: (id: string) => string;
}

/** The previous and the next record of the list that the user comes from, in the list's order, on all pages. */
export function RowNav(props: RowNavProps) {
  const state = useLocation().state as ListState | null;
  const order = state?.list === undefined ? undefined : orderBehind(state, props.id);
  return state && order && <ShownNav {...props} state={state} order={order} />;
}

function ShownNav({ noun, hrefOf, state, order }: RowNavProps & { state: ListState; order: RowOrder }) {
  const { at = 0 } = state;
  const navigate = useNavigate();
  const group = useRef<HTMLDivElement>(null);
  const leads = (step: number) => at + step >= 0 && at + step < order.count;
  const go = async (step: number, isPressed = false) => {
    if (!leads(step)) return;
    const place = at + step;
    try {
      const next = order.ids[place] ?? (await loadId(order, place));
      if (next === undefined) return;
      order.ids[place] = next;
      pressed = isPressed ? step : 0;
      // Back leads to the page of the row that is shown then.
      const list = new URLSearchParams(state.list);
      list.set("page", String(Math.floor(place / order.pageSize) + 1));
      list.set("row", next);
      navigate(hrefOf(next), { replace: true, state: { ...state, list: `?${list}`, at: place } });
    } catch {
      toast.show({ title: `Failed to load the ${noun}`, message: "Please try again.", intent: "danger" });
    }
  };
  useShortcut(PREVIOUS, () => void go(-1));
  useShortcut(NEXT, () => void go(1));

  // Another record is another screen: its button takes the focus of the one that was pressed.
  useEffect(() => {
    const buttons = [...(group.current?.querySelectorAll("button") ?? [])];
    if (pressed > 0) buttons.reverse();
    if (pressed !== 0) buttons.find(({ disabled }) => !disabled)?.focus();
    pressed = 0;
  }, []);

  const button = (shortcut: Shortcut, step: number, word: string) => (
    <Button
      icon={step < 0 ? <ChevronLeft /> : <ChevronRight />}
      aria-label={`${word} ${noun}`}
      aria-keyshortcuts={shortcut.keys.join(" ")}
      title={`${word} ${noun} (${keyTexts(shortcut).join()})`}
      disabled={!leads(step)}
      onClick={() => void go(step, true)}
    />
  );
  return (
    <ButtonGroup ref={group}>
      {button(PREVIOUS, -1, "Previous")}
      <span className={styles.place}>
        {grouped.format(at + 1)} of {grouped.format(order.count)}
      </span>
      {button(NEXT, 1, "Next")}
    </ButtonGroup>
  );
}

async function loadId({ pathOfRows }: RowOrder, at: number): Promise<string | undefined> {
  if (!pathOfRows) return undefined;
  const { data } = await apiClient.get<{ content: { id: string }[] }>(`${pathOfRows}&page=${at}`);
  return data.content[0]?.id;
}

/** The step of the button that was pressed, until the next record is shown; otherwise 0. */
let pressed = 0;

const PREVIOUS: Shortcut = { keys: ["Alt+P"], does: "Previous record of the list", group: "On a record" };
const NEXT: Shortcut = { keys: ["Alt+N"], does: "Next record of the list", group: "On a record" };
