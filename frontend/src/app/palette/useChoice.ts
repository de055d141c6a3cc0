import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { hasPast, useAsOf } from "@/shared/asOf";
import type { Entry } from "./entries";

interface ChoiceOptions {
  /** What there is, the best first. */
  items: readonly Entry[];
  /** Nothing better is on its way. */
  isSure: boolean;
  onClose: () => void;
}

/** Which entry is meant, and what becomes of it: it is acted on when the palette is gone, and the focus is back. */
export function useChoice({ items, isSure, onClose }: ChoiceOptions) {
  const [pointedAt, setPointedAt] = useState<string>();
  const awaited = useRef<{ inNewTab: boolean }>(undefined);
  const chosen = useRef<() => void>(undefined);
  const follow = useFollow();
  const pointed = items.find(({ key }) => key === pointedAt);
  const active = pointed ?? items[0];

  const choose = (entry: Entry, inNewTab: boolean) => {
    chosen.current = () => follow(entry, inNewTab);
    onClose();
  };

  useEffect(() => {
    if (!isSure || awaited.current === undefined) return;
    const { inNewTab } = awaited.current;
    awaited.current = undefined;
    if (active) choose(active, inNewTab);
  });

  return {
    active,
    /** The reader means this one; undefined: the best, whichever that will be. */
    point: (entry: Entry | undefined) => {
      awaited.current = undefined;
      setPointedAt(entry?.key);
    },
    choose,
    /** Chooses what is meant, as soon as nothing better can come. */
    chooseActive: (inNewTab: boolean) => {
      if (!isSure && pointed === undefined) awaited.current = { inNewTab };
      else if (active) choose(active, inNewTab);
    },
    actOnChoice: () => {
      const act = chosen.current;
      chosen.current = undefined;
      act?.();
    },
  };
}

function useFollow() {
  const navigate = useNavigate();
  const addressAt = useAddressAt();
  return ({ to, act }: Entry, inNewTab: boolean) => {
    if (to === undefined) act?.();
    else if (inNewTab) window.open(addressAt(to), "_blank", "noopener");
    else void navigate(addressAt(to));
  };
}

/** Where an entry leads from here: what has a past stays at the moment that is shown. */
export function useAddressAt(): (to: string) => string {
  const { addressOf } = useAsOf();
  return (to) => (hasPast(to.replace(/\?.*/, "")) ? addressOf(to) : to);
}
