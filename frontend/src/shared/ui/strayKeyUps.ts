/**
 * Blueprint's buttons are pressed by the *release* of Enter or Space, also when the key went down on
 * another element, from which the focus has come meanwhile: a menu item that returns it to the menu's
 * button, a field whose form was saved. Such releases are kept from everybody. Returns a way to stop.
 */
export function ignoreStrayKeyUps(): () => void {
  let pressedOn: EventTarget | null = null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.repeat) pressedOn = event.target;
  };
  const onKeyUp = (event: KeyboardEvent) => {
    const isPress = event.key === "Enter" || event.key === " ";
    if (isPress && event.target !== pressedOn) event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", onKeyDown, true);
  window.addEventListener("keyup", onKeyUp, true);
  return () => {
    window.removeEventListener("keydown", onKeyDown, true);
    window.removeEventListener("keyup", onKeyUp, true);
  };
}
