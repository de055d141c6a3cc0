const toDay = new Intl.DateTimeFormat("en-IN", { dateStyle: "full" });
const toTime = new Intl.DateTimeFormat("en-IN", { timeStyle: "medium" });

/** What happened on one day, by the reader's clock. */
interface Day<Item> {
  title: string;
  items: readonly Item[];
}

/** Puts what stands in the order of time together by days. */
export function byDay<Item extends { moment: string }>(items: readonly Item[]): readonly Day<Item>[] {
  const days = new Map<string, Item[]>();
  for (const item of items) {
    const title = toDay.format(Date.parse(item.moment));
    const others = days.get(title);
    if (others === undefined) days.set(title, [item]);
    else others.push(item);
  }
  return [...days].map(([title, of]) => ({ title, items: of }));
}

/** When on its day something happened; its tooltip has all that is known. */
export function TimeText({ moment }: { moment: string }) {
  return (
    <time dateTime={moment} title={moment}>
      {toTime.format(Date.parse(moment))}
    </time>
  );
}
