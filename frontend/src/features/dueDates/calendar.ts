import { ICalAlarmType, ICalCalendar, ICalEventTransparency } from "ical-generator";
import { PRODUCT_NAME } from "@/shared/config/product";
import { withoutControls } from "@/shared/format/controls";
import type { DueDate } from "./documents";
import { driverPath } from "./paths";

/** When calendars remind of a day. In seconds before it begins. */
const REMINDED = [14, 3].map((days) => days * 24 * 60 * 60);

/**
 * Due dates as a calendar (RFC 5545): a day each, with reminders. Its own module, for the library is loaded only when
 * somebody wants one.
 * @param origin the product's address: makes names that are the same each time, so that a calendar that takes the
 *   file again moves a day rather than have it twice.
 */
export function calendarOf(dates: readonly DueDate[], origin: string, now: Date): string {
  const { host } = new URL(origin);
  const calendar = new ICalCalendar({
    name: "Due dates",
    prodId: { company: PRODUCT_NAME, product: "Due dates" },
  });
  for (const { id, driver, name, phone, document, date, left } of dates) {
    const told = [
      `${name}, ${driver}`,
      phone && `Mobile: ${phone}`,
      `The last day of the ${document.toLowerCase()}.`,
    ];
    calendar.createEvent({
      id: `due-${encodeURIComponent(id)}@${host}`,
      sequence: Math.floor(now.getTime() / 60_000),
      stamp: now,
      // The library writes a day as it is in UTC.
      start: new Date(`${date}T00:00:00Z`),
      allDay: true,
      transparency: ICalEventTransparency.TRANSPARENT,
      // RFC 5545, section 3.3.11: a text has no control characters, and the library writes them as they are.
      summary: withoutControls(`${document} expires: ${name} (${driver})`),
      description: withoutControls(told.filter(Boolean).join("\n")),
      url: origin + driverPath(driver),
      alarms:
        left < 0 ? [] : REMINDED.map((triggerBefore) => ({ type: ICalAlarmType.display, triggerBefore })),
    });
  }
  // The library leaves the last line open.
  return `${calendar}\r\n`;
}
