import { type ComponentProps, lazy, Suspense } from "react";

const Loaded = lazy(async () => ({ default: (await import("./AssignDialog")).AssignDialog }));

/** The dialog that assigns or corrects, whose code is loaded when it opens. */
export function AssignDialog(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}
