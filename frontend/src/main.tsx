import "@/shared/theme/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { GateCard } from "@/app/signIn/GateCard";
import { openIdClient } from "@/app/signIn/openIdClient";
import { loadRuntimeConfig } from "@/shared/config/runtime";
import { saveByKeys } from "@/shared/form/saveKeys";
import { followTheme, loadTypeface } from "@/shared/theme/theme";
import { ignoreStrayKeyUps } from "@/shared/ui";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root.");
const root = createRoot(container);

followTheme();
loadTypeface();
ignoreStrayKeyUps();
saveByKeys();
try {
  const { auth } = await loadRuntimeConfig();
  root.render(
    <StrictMode>
      <App client={openIdClient(auth)} />
    </StrictMode>,
  );
} catch (error) {
  console.error(error);
  root.render(
    <GateCard title="Not available">
      <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
    </GateCard>,
  );
}
