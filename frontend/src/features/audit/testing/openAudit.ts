import { screen } from "@testing-library/react";
import { auditor } from "@/testing/permissions";
import { renderRoutes } from "@/testing/renderRoutes";
import { auditRoutes } from "../routes";
import { testKinds } from "./kinds";

/** Open the audit trail as a user, by default an auditor. */
export async function openAudit(search = "", me = auditor) {
  const page = renderRoutes(
    auditRoutes(async () => testKinds),
    `/management/audit${search}`,
    me,
  );
  await screen.findByRole("heading", { level: 1 });
  return page;
}
