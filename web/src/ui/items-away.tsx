/** The room of items of a long list that are not there now. */
export const ItemsAway = ({ height }: { height: number }) =>
  height > 0 && <li aria-hidden className="border-0" style={{ height }} />;
