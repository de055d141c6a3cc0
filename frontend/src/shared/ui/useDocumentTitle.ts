import { useEffect } from "react";
import { PRODUCT_NAME } from "@/shared/config/product";

/** Names the browser tab after the screen, the product's name last. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? PRODUCT_NAME : `${title} · ${PRODUCT_NAME}`;
  }, [title]);
}
