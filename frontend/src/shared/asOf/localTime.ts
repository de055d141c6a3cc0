/** What a date input and a time input hold: `YYYY-MM-DD` and `HH:MM:SS`, by the reader's clock. */
export interface LocalTime {
  date: string;
  time: string;
}

/** An instant by the reader's clock, to the second. */
export function toLocal(instant: Date): LocalTime {
  const two = (number: number) => String(number).padStart(2, "0");
  const year = String(instant.getFullYear()).padStart(4, "0");
  return {
    date: `${year}-${two(instant.getMonth() + 1)}-${two(instant.getDate())}`,
    time: [instant.getHours(), instant.getMinutes(), instant.getSeconds()].map(two).join(":"),
  };
}

/** The instant that the reader's clock shows so; undefined where the inputs hold none. */
export function fromLocal({ date, time }: LocalTime): Date | undefined {
  const instant = new Date(`${date}T${time}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
