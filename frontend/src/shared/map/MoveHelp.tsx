/** How to move the point of a map. */
export function MoveHelp({ id }: { id?: string }) {
  return (
    <p id={id} className="fl-remark">
      Click on the map or drag the point. Arrow keys move it, Shift makes steps smaller.
    </p>
  );
}
