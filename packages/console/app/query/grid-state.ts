import { useState } from 'react';
import type { GridPlace, ResultGridProps, Selection, Visibility } from './result-grid.tsx';

/** What a grid keeps of how it is looked at; `props` are the grid's own. */
export interface GridState {
  readonly place: GridPlace;
  readonly selection: Selection;
  readonly visibility: Visibility;
  readonly setPlace: (place: GridPlace) => void;
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

/** Where one is in a grid, which rows are selected, and how its columns are shown. */
export function useGridState(): GridState {
  const [place, setPlace] = useState<GridPlace>({ row: 0, column: 0 });
  const [pinned, setPinned] = useState<readonly string[]>([]);
  const [visibility, setVisibility] = useState<Visibility>({});
  const [selection, setSelection] = useState<Selection>({ ranges: [] });
  const changes = {
    onPinned: setPinned,
    onVisibility: setVisibility,
    onSelection: setSelection,
    onPlace: setPlace,
  };
  const props = { pinned, visibility, selection, place, ...changes };
  return { place, selection, visibility, setPlace, setVisibility, props };
}
