import { IdNumber } from "@blueprintjs/icons";
import { deleteTwice } from "@/shared/api/specifiedQuirks";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { assignmentsTab } from "@/shared/assignments/tab";
import { type Expiry, expiryOf } from "@/shared/expiry/expiry";
import { expiredBefore, expiringSoon, type Span } from "@/shared/expiry/spans";
import { IFSC_CODE, ifscCode, swiftCode } from "@/shared/form/warnings";
import { recordOf } from "@/shared/records";
import { driver } from "@/shared/records/entities.gen";
import { Hidden, StatusBadge, type StatusTone } from "@/shared/ui";
import { AcknowledgedReminders, ReminderActions } from "./reminders";
import { driverPaths } from "./routes";

const BADGES: Record<Expiry, { label: string; tone: StatusTone }> = {
  valid: { label: "License valid", tone: "success" },
  expiring: { label: "License expiring soon", tone: "warning" },
  expired: { label: "License expired", tone: "danger" },
  unknown: { label: "License expiry unknown", tone: "neutral" },
};

const licences = (filter: string, days: (now: Date) => string) => ({
  filter,
  cell: "licenseValidUpTo",
  days,
});
const daysOf = ({ from = "", until }: Span) => `${from}..${until}`;
const expired = (now: Date) => daysOf(expiredBefore(now));

const LONG_TEXT = { kind: "multiline", wide: true, column: { hidden: true } } as const;
const ASIDE = { hidden: true } as const;

/** Drivers (spec, sections 3, 5 and 7). Every field can be a column of the list; the specification names none. */
export const driverDefinition = recordOf<Wire<"DriverRecord">>()(driver, {
  paths: driverPaths,
  remove: deleteTwice,
  Actions: ReminderActions,
  Remarks: AcknowledgedReminders,
  sections: [
    {
      title: "Personal Information",
      fields: [
        {
          name: "id",
          aliases: [
            "Employee ID",
            "Employee Code",
            "Driver ID",
            "Driver Number",
            "Driver Code",
            "Staff Number",
            "Staff ID",
          ],
          label: "Employee Number",
          fixed: true,
          column: { place: 2, card: "second" },
        },
        {
          name: "name",
          identifies: true,
          aliases: ["Driver", "Employee Name"],
          label: "Driver Name",
          column: { place: 1, header: "Name", wraps: true },
        },
        {
          name: "fatherName",
          aliases: ["Father", "S/O", "Son of"],
          wire: "father_name",
          label: "Father's Name",
          column: ASIDE,
        },
        { name: "email", aliases: ["Contact"], wire: "email_address", label: "Email", column: ASIDE },
        {
          name: "mobile1",
          aliases: ["Contact Number", "Contact", "Mobile Number", "Mobile 1"],
          wire: "mobile_number_1",
          label: "Mobile Number 1",
          kind: "tel",
          column: { place: 3, header: "Mobile" },
        },
        {
          name: "mobile2",
          aliases: ["Alternate Contact", "Contact Number 2"],
          wire: "mobile_number_2",
          label: "Mobile Number 2",
          kind: "tel",
          column: ASIDE,
        },
        {
          name: "address1",
          aliases: [
            "Address",
            "Address Line 1",
            "Street",
            "Home Address",
            "Permanent Address",
            "Current Address",
          ],
          wire: "address_1",
          label: "Address 1",
          ...LONG_TEXT,
        },
        {
          name: "address2",
          aliases: ["Address Line 2", "Permanent Address", "Current Address"],
          wire: "address_2",
          label: "Address 2",
          ...LONG_TEXT,
        },
        { name: "city", aliases: ["Town"], label: "City", column: { place: 4, wraps: true } },
        { name: "country", label: "Country", column: ASIDE },
      ],
    },
    {
      title: "Document Information",
      fields: [
        {
          name: "passportNumber",
          aliases: ["Passport"],
          wire: "passport_number",
          label: "Passport Number",
          column: ASIDE,
        },
        {
          name: "passportValidUpTo",
          wire: "passport_expiry_date",
          label: "Passport Valid Up To",
          expires: true,
          column: ASIDE,
        },
        {
          name: "licenseNumber",
          aliases: ["Driving License"],
          wire: "driving_license_number",
          label: "License Number",
          column: { place: 5 },
        },
        {
          name: "licenseValidUpTo",
          wire: "driving_license_expiry",
          label: "License Valid Up To",
          expires: true,
          column: { place: 6, card: "state" },
        },
      ],
    },
    {
      title: "Banking Information",
      fields: [
        {
          name: "bankAccount",
          aliases: ["Account Number"],
          wire: "bank_account_number",
          label: "Bank Account Number",
          column: ASIDE,
        },
        { name: "bankName", aliases: ["Bank"], wire: "bank_name", label: "Bank Name", column: ASIDE },
        {
          name: "bankAddress",
          aliases: ["Branch Address", "Bank Branch Address"],
          wire: "bank_address",
          label: "Bank Address",
          ...LONG_TEXT,
        },
        {
          name: "ifscCode",
          aliases: ["IFSC", "Bank Code"],
          pattern: IFSC_CODE,
          warning: ifscCode,
          wire: "ifsc_code",
          label: "IFSC Code",
          column: ASIDE,
        },
        {
          name: "swiftCode",
          aliases: ["SWIFT", "BIC", "SWIFT BIC", "Bank Code"],
          warning: swiftCode,
          wire: "swift_code",
          label: "SWIFT Code",
          column: ASIDE,
        },
      ],
    },
  ],
  heading: ({ name, id, licenseValidUpTo }, _, hidden) => ({
    title: name,
    tabTitle: `Driver ${id}`,
    subtitle: `Employee Number ${id}`,
    badge: hidden.has("licenseValidUpTo") ? (
      <Hidden text="License hidden" />
    ) : (
      <StatusBadge {...BADGES[expiryOf(licenseValidUpTo, new Date())]} />
    ),
  }),
  list: {
    title: "Drivers",
    subtitle: "Drivers, licenses and employee records",
    addLabel: "Add Driver",
    defaultSort: { id: "name", desc: false },
    searchPlaceholder: "Search drivers by name, ID, or phone...",
    nameOf: ({ name }) => name,
    // The specification does not define Active Drivers; here they are those whose licence has not expired, so that active
    // and expired add up to the total.
    figures: [
      { label: "Total Drivers" },
      { label: "Active Drivers", tone: "success", counts: licences("active", (now) => `!${expired(now)}`) },
      { label: "Expired Licenses", tone: "danger", counts: licences("expired", expired) },
      {
        label: "Expiring Soon",
        tone: "warning",
        counts: licences("expiring", (now) => daysOf(expiringSoon(now))),
      },
    ],
    icon: <IdNumber size={24} />,
    copiesId: true,
  },
  tabs: [assignmentsTab],
});
