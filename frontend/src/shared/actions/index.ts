export { clearRecentRecords, recentRecords, removeRecentRecord, useRecordVisit } from "./recentRecords";
export { offeredActions, type ScreenAction, useScreenActions } from "./screenActions";
