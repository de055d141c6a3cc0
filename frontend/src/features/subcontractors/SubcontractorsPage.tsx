import { Button } from "@blueprintjs/core";
import { Plus } from "@blueprintjs/icons";
import { NoPastNotice } from "@/shared/asOf";
import { ErrorState, LoadingState, PageHeader } from "@/shared/ui";
import { SearchedCards } from "@/shared/ui/SearchedCards";
import { SubcontractorCard } from "./SubcontractorCard";
import { subcontractorSearchFields } from "./subcontractors";
import { useSubcontractors } from "./useSubcontractors";

/** All subcontractors, as cards. */
export function SubcontractorsPage() {
  const { subcontractors, error } = useSubcontractors();
  return (
    <>
      <PageHeader
        title="Subcontractors"
        subtitle="Subcontractor partnerships"
        back={{ to: "/management", label: "Back to Management" }}
        // Does nothing yet: so the specification has it (section 2).
        actions={<Button intent="primary" icon={<Plus />} text="Add Subcontractor" />}
      />
      <NoPastNotice what="Subcontractors" />
      {subcontractors !== undefined ? (
        <SearchedCards
          label="Subcontractors"
          items={subcontractors}
          keyOf={({ id }) => id}
          searchPlaceholder="Search name, company or specialization..."
          searchFields={subcontractorSearchFields}
          emptyText="No subcontractors found matching your search."
        >
          {(subcontractor) => <SubcontractorCard subcontractor={subcontractor} />}
        </SearchedCards>
      ) : error !== undefined ? (
        <ErrorState title="Failed to load subcontractors" onRetry={() => window.location.reload()} />
      ) : (
        <LoadingState label="Loading subcontractors..." />
      )}
    </>
  );
}
