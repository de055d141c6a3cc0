import { screen } from "@testing-library/react";
import { renderRoutes } from "@/testing/renderRoutes";
import { signIn } from "@/testing/session";
import { auditRoutes } from "../routes";
import { testKinds } from "./kinds";

/** Opens the audit trail as somebody who is signed in. */
export async function openAudit(search = "") {
  signIn();
  const page = renderRoutes(
    auditRoutes(async () => testKinds),
    `/management/audit${search}`,
  );
  await screen.findByRole("heading", { level: 1, name: "Audit Trail" });
  return page;
}
