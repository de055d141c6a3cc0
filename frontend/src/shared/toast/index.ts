export { copyText } from "./copyText";
export { ToastRegion } from "./ToastRegion";
export { type ToastAction, type ToastIntent, type ToastOptions, toast } from "./toastStore";
export { useFailureToast } from "./useFailureToast";
