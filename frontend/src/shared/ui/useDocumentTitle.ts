import { useEffect } from "react";
import { PRODUCT_NAME } from "@/shared/config/product";

/** Names the browser tab after the screen, the product's name last; whoever goes leaves the tab as it was. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = title === "" ? PRODUCT_NAME : `${title} · ${PRODUCT_NAME}`;
    return () => {
      document.title = before;
    };
  }, [title]);
}
