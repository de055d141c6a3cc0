import { Radio, RadioGroup, Switch } from "@blueprintjs/core";
import { Section } from "@/shared/form/Section";
import { type Clock, prefer, useTripPreferences } from "../area/preferences";
import { TripPage } from "../area/TripPage";
import styles from "../area/TripPage.module.css";

/** How the trip area is shown to this reader. */
export function SettingsPage() {
  const { clock, isMenuCollapsed } = useTripPreferences();
  return (
    <TripPage title="Settings">
      <Section title="Times">
        <RadioGroup
          label="Times on the trip's pages are"
          selectedValue={clock}
          onChange={(event) => prefer({ clock: event.currentTarget.value as Clock })}
        >
          <Radio value="india" label="Indian Standard Time" />
          <Radio value="reader" label="By my own clock" />
        </RadioGroup>
      </Section>
      <Section title="Side menu">
        <Switch
          label="Show icons only"
          checked={isMenuCollapsed}
          onChange={(event) => prefer({ isMenuCollapsed: event.currentTarget.checked })}
        />
        <p className={styles.note}>Narrow screens show the menu above the page instead.</p>
      </Section>
      <p className={styles.note}>These settings hold for all trips, in this browser.</p>
    </TripPage>
  );
}
