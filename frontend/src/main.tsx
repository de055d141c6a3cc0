import "@blueprintjs/core/lib/css/blueprint.css";
import "@/shared/theme/tokens.css";
import "@/shared/theme/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";
import { loadRuntimeConfig } from "@/shared/config/runtime";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root.");

await loadRuntimeConfig();
createRoot(container).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
