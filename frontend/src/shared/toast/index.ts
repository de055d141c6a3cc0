export { ToastRegion } from "./ToastRegion";
export {
  copyText,
  type ToastAction,
  type ToastIntent,
  type ToastOptions,
  toast,
  useFailureToast,
} from "./toastStore";
