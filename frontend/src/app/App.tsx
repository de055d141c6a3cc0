import { ToastRegion } from "@/shared/toast";

export function App() {
  return <ToastRegion />;
}
