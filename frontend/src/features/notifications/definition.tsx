import { Notifications, Pause, Play } from "@blueprintjs/icons";
import { lazy } from "react";
import type { Wire } from "@/shared/api/wireTypes.gen";
import { useAuthStore } from "@/shared/auth/authStore";
import { type FormValues, listOf } from "@/shared/form";
import { capitalized } from "@/shared/format/capitalized";
import { CHANGE_KINDS, changeTitle } from "@/shared/history";
import { recordOf } from "@/shared/records";
import * as entities from "@/shared/records/entities.gen";
import { DeliveryBadge } from "./deliveries";
import { notificationPaths } from "./routes";

// The palette loads the definition, too.
const DELIVERIES = lazy(async () => ({ default: (await import("./DeliveriesTab")).DeliveriesTab }));

const words = (named: Readonly<Record<string, string>>) => (value: string) => named[value] ?? value;
const hourText = (hour: string) => `${hour.padStart(2, "0")}:00`;
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour));

/** A field with several values. */
const LIST = {
  read: (value: unknown) => (Array.isArray(value) ? value.join(", ") : ""),
  write: listOf,
};

const isOfEvents = ({ content }: FormValues) => content === "events";
const isWebhook = (values: FormValues) => isOfEvents(values) && values.channel === "webhook";
const isDaily = (values: FormValues) =>
  !isOfEvents(values) || (!isWebhook(values) && values.schedule === "daily");

/** Empty or set the fields that do not apply, as the API requires. */
function settle(values: FormValues): FormValues {
  const toWebhook = isWebhook(values);
  return {
    ...values,
    ...(!isOfEvents(values) && { entity_types: "", event_kinds: "", filter: "" }),
    channel: toWebhook ? "webhook" : "email",
    schedule: isDaily(values) ? "daily" : "at_once",
    [toWebhook ? "recipients" : "url"]: "",
  };
}

/** Subscriptions to notifications. */
export const subscriptionDefinition = recordOf<Wire<"SubscriptionRecord">>()(entities.subscription, {
  paths: notificationPaths,
  permission: "notifications:manage",
  settle,
  sections: [
    {
      title: "What is sent",
      fields: [
        { name: "name", label: "Name", column: { place: 1, wraps: true } },
        {
          name: "content",
          label: "Content",
          choices: ["due_dates", "events"],
          textOf: words({ events: "Events", due_dates: "Due dates" }),
          hint: (content) =>
            content === "due_dates" ? "Driving licenses and passports that expire soon." : undefined,
          column: { place: 2, card: "second" },
        },
        {
          name: "entity_types",
          label: "Kinds of records",
          choices: Object.values(entities).map(({ noun }) => noun),
          textOf: capitalized,
          ...{ ...LIST, isMany: true, noneText: "All", applies: isOfEvents },
          hint: (chosen) => (chosen === "" ? "None selected: all kinds." : undefined),
        },
        {
          name: "event_kinds",
          label: "Kinds of events",
          choices: CHANGE_KINDS,
          textOf: changeTitle,
          ...{ ...LIST, isMany: true, noneText: "All", applies: isOfEvents },
          hint: (chosen) => (chosen === "" ? "None selected: all kinds." : undefined),
        },
        {
          name: "filter",
          label: "Only new values",
          kind: "multiline",
          wide: true,
          ...{ ...LIST, noneText: "All", applies: isOfEvents },
          // Values may contain spaces.
          write: (text) =>
            text
              .trim()
              .split(/\s*[,;\n]\s*/)
              .filter((one) => one !== ""),
          hint: () =>
            "Public fields and their values, one per line, such as status=RUNNING. Only events that set each of these fields to one of its values are sent. Empty: all.",
        },
      ],
    },
    {
      title: "Where it is sent",
      fields: [
        {
          name: "channel",
          label: "Channel",
          textOf: words({ email: "E-mail", webhook: "Webhook" }),
          applies: isOfEvents,
          column: { place: 3, card: "second" },
        },
        {
          name: "recipients",
          label: "Recipients",
          kind: "multiline",
          wide: true,
          ...LIST,
          initial: () => useAuthStore.getState().user?.email ?? "",
          applies: (values) => !isWebhook(values),
          hint: () =>
            "E-mail addresses, separated by commas or one per line. Only confirmed addresses receive drivers' names.",
        },
        {
          name: "url",
          label: "Address of the webhook",
          wide: true,
          applies: isWebhook,
          hint: () => "Starts with https://. Each event is posted to it, signed with the signing secret.",
        },
        {
          name: "secret_generation",
          label: "Signing secret",
          readOnly: true,
          sent: true,
          textOf: (generation) => `No. ${generation}`,
          write: (generation) => Number(generation || 1),
          applies: (values) => isWebhook(values) && values.secret_generation !== "",
        },
      ],
    },
    {
      title: "When it is sent",
      fields: [
        {
          name: "status",
          label: "Status",
          textOf: words({ active: "Active", paused: "Paused" }),
          column: {
            place: 5,
            card: "state",
            render: (status, id) => <DeliveryBadge id={id} status={status} />,
          },
        },
        {
          name: "schedule",
          label: "Schedule",
          textOf: words({ at_once: "At once", daily: "Daily" }),
          applies: (values) => isOfEvents(values) && !isWebhook(values),
          column: { place: 4, card: "second" },
        },
        {
          name: "hour",
          label: "Hour",
          choices: HOURS,
          textOf: hourText,
          initial: () => "7",
          applies: isDaily,
        },
        {
          name: "time_zone",
          label: "Time zone",
          suggestions: Intl.supportedValuesOf("timeZone"),
          initial: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
          applies: isDaily,
        },
      ],
    },
  ],
  listed: [
    { name: "created_at", label: "Created At", column: { hidden: true } },
    { name: "updated_at", label: "Updated At", column: { hidden: true } },
  ],
  texts: { back: "Back to Notifications" },
  heading: ({ name, status }, id) => ({
    title: name,
    subtitle: `Subscription ${id}`,
    badge: <DeliveryBadge id={id} status={status} />,
  }),
  list: {
    title: "Notifications",
    subtitle: "Events and due dates, sent by e-mail or to a webhook",
    addLabel: "Add Subscription",
    emptyAddLabel: "Add Subscription",
    defaultSort: { id: "name", desc: false },
    searchPlaceholder: "Search subscriptions by name...",
    nameOf: ({ name }) => name,
    figures: [
      { label: "Total Subscriptions" },
      {
        label: "Active",
        tone: "success",
        counts: { filter: "active", cell: "status", has: (status) => status === "active" },
      },
      {
        label: "Paused",
        tone: "warning",
        counts: { filter: "paused", cell: "status", has: (status) => status === "paused" },
      },
    ],
    icon: <Notifications size={24} />,
    copiesId: true,
  },
  quickChanges: [
    { text: "Pause", icon: <Pause />, field: "status", value: "paused", done: "Subscription Paused" },
    { text: "Resume", icon: <Play />, field: "status", value: "active", done: "Subscription Resumed" },
  ],
  tabs: [{ id: "deliveries", title: "Deliveries", Tab: DELIVERIES }],
});
