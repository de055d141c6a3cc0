export { ToastRegion } from "./ToastRegion";
export { copyText, type ToastAction, toast, useFailureToast } from "./toastStore";
