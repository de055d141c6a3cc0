export * from "./changes";
export * from "./components";
