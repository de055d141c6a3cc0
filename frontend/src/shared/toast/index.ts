export { ToastRegion } from "./ToastRegion";
export { type ToastIntent, type ToastOptions, toast, useToast } from "./toastStore";
export { useFailureToast } from "./useFailureToast";
