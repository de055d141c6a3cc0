import { ICalAlarmType, ICalCalendar, ICalEventTransparency } from "ical-generator";
import { PRODUCT_NAME } from "@/shared/config/product";
import { withoutControls } from "@/shared/format/controls";
import { type DueDate, driverPath } from "./dueDates";

/** When calendars remind of a due date, in seconds before the day begins. */
const REMINDED = [14, 3].map((days) => days * 24 * 60 * 60);

/**
 * Due dates as a calendar (RFC 5545) of all-day events with reminders. A module of its own, so that the library is
 * loaded on demand.
 * @param origin the product's address, part of the events' stable ids: importing the file again moves an event instead
 *   of adding it twice.
 */
export function calendarOf(dates: readonly DueDate[], origin: string, now: Date): string {
  const { host } = new URL(origin);
  const calendar = new ICalCalendar({
    name: "Due dates",
    prodId: { company: PRODUCT_NAME, product: "Due dates" },
  });
  for (const { id, driver, name, phone, document, date, left } of dates) {
    const lines = [
      `${name}, ${driver}`,
      phone && `Mobile: ${phone}`,
      `Last valid day of the ${document.toLowerCase()}.`,
    ];
    calendar.createEvent({
      id: `due-${encodeURIComponent(id)}@${host}`,
      sequence: Math.floor(now.getTime() / 60_000),
      stamp: now,
      // The library formats the day in UTC.
      start: new Date(`${date}T00:00:00Z`),
      allDay: true,
      transparency: ICalEventTransparency.TRANSPARENT,
      // RFC 5545, section 3.3.11, forbids control characters in a text; the library does not remove them.
      summary: withoutControls(`${document} expires: ${name} (${driver})`),
      description: withoutControls(lines.filter(Boolean).join("\n")),
      url: origin + driverPath(driver),
      alarms:
        left < 0 ? [] : REMINDED.map((triggerBefore) => ({ type: ICalAlarmType.display, triggerBefore })),
    });
  }
  // The library omits the last line break.
  return `${calendar}\r\n`;
}
