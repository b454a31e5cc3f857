import { useState } from 'react';
import type { GridPosition, ResultGridProps, Selection, Visibility } from './result-grid.tsx';

/** The view state of a grid; `props` are the grid's own. */
export interface GridState {
  readonly place: GridPosition;
  readonly selection: Selection;
  readonly visibility: Visibility;
  readonly setPlace: (place: GridPosition) => void;
  readonly setVisibility: (visibility: Visibility) => void;
  readonly props: Pick<
    ResultGridProps,
    | 'pinned'
    | 'visibility'
    | 'selection'
    | 'place'
    | 'onPinned'
    | 'onVisibility'
    | 'onSelection'
    | 'onPlace'
  >;
}

const nothingSelected: Selection = { ranges: [] };

/**
 * The position in a grid, the selected rows, and the state of its columns.
 *
 * @param shown identifies the rows: none of others is selected. The grid itself keeps the position
 *   within them; a new one would take the focus
 */
export function useGridState(shown: unknown): GridState {
  const [place, setPlace] = useState<GridPosition>({ row: 0, column: 0 });
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [visibility, setVisibility] = useState<Visibility>({});
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const [shownBefore, setShownBefore] = useState(shown);
  if (shown !== shownBefore) {
    // During the render: the numbers must never select other rows.
    setShownBefore(shown);
    setSelection(nothingSelected);
  }
  const changes = {
    onPinned: setPinned,
    onVisibility: setVisibility,
    onSelection: setSelection,
    onPlace: setPlace,
  };
  const props = { pinned, visibility, selection, place, ...changes };
  return { place, selection, visibility, setPlace, setVisibility, props };
}
