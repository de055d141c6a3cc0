/** Where analysts learn how to connect to the public events. */
export const EVENT_STREAM_PATH = "/management/event-stream";
