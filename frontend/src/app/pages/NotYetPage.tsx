import { Build } from "@blueprintjs/icons";
import { Link } from "react-router";
import { EmptyState, PageHeader } from "@/shared/ui";

interface NotYetPageProps {
  title: string;
  subtitle?: string;
  back?: { to: string; label: string };
}

/** Stands where a screen of the specification will be. */
export function NotYetPage({ title, subtitle, back }: NotYetPageProps) {
  return (
    <>
      <PageHeader title={title} subtitle={subtitle} back={back} />
      <EmptyState
        icon={<Build size={24} aria-hidden />}
        title="This page is not here yet"
        message="It is part of the plan and has its place in the navigation, but it has not been built."
        action={<Link to="/management/drivers">See what is already here: Drivers</Link>}
      />
    </>
  );
}
