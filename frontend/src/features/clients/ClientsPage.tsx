import { Button } from "@blueprintjs/core";
import { Plus } from "@blueprintjs/icons";
import { NoPastNotice } from "@/shared/asOf";
import { ErrorState, LoadingState, PageHeader } from "@/shared/ui";
import { SearchedCards } from "@/shared/ui/SearchedCards";
import { ClientCard } from "./ClientCard";
import { clientSearchFields } from "./clients";
import { useClients } from "./useClients";

/** All clients, as cards. */
export function ClientsPage() {
  const { clients, error } = useClients();
  return (
    <>
      <PageHeader
        title="Client Management"
        subtitle="Client relationships and contracts"
        back={{ to: "/management", label: "Back to Management" }}
        // Does nothing yet: so the specification has it (section 2).
        actions={<Button intent="primary" icon={<Plus />} text="Add New Client" />}
      />
      <NoPastNotice what="Clients" />
      {clients !== undefined ? (
        <SearchedCards
          label="Clients"
          items={clients}
          keyOf={({ id }) => id}
          searchPlaceholder="Search company, contact, email or city..."
          searchFields={clientSearchFields}
          emptyText="No clients found matching your search."
        >
          {(client) => <ClientCard client={client} />}
        </SearchedCards>
      ) : error !== undefined ? (
        <ErrorState title="Failed to load clients" onRetry={() => window.location.reload()} />
      ) : (
        <LoadingState label="Loading clients..." />
      )}
    </>
  );
}
