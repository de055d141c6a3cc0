import { useEffect, useState } from "react";
import type { View } from "./view";
import { type Detail, loadWorld, type World } from "./world";

/** From this scale on coasts of the coarse world look like what they are. */
const COARSE_UP_TO = 300;

export interface KnownWorld {
  /** The best that is here to be drawn; undefined: nothing yet. */
  shapes: World | undefined;
  /** The one whose countries are named. */
  named: World | undefined;
  hasFailed: boolean;
  retry: () => void;
}

/** The world in as much detail as a view needs, and in less until that has come. */
export function useWorld({ scale }: View): KnownWorld {
  const coarse = useLoaded("coarse", true);
  const fine = useLoaded("fine", scale > COARSE_UP_TO);
  return {
    shapes: (scale > COARSE_UP_TO ? fine.world : undefined) ?? coarse.world,
    named: coarse.world,
    hasFailed: coarse.hasFailed || fine.hasFailed,
    retry: () => {
      coarse.retry();
      fine.retry();
    },
  };
}

function useLoaded(detail: Detail, isNeeded: boolean) {
  const [world, setWorld] = useState<World>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isNeeded || hasFailed || world !== undefined) return;
    let isWanted = true;
    loadWorld(detail).then(
      (loaded) => isWanted && setWorld(loaded),
      () => isWanted && setFailed(true),
    );
    return () => {
      isWanted = false;
    };
  }, [detail, isNeeded, hasFailed, world]);
  return { world, hasFailed, retry: () => setFailed(false) };
}
