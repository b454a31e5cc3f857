import { createEventTarget, type DataFrame, HighTable } from 'hightable';
import 'hightable/src/HighTable.css';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { visibleText } from '@quire/core/portable';
import { formatCount } from '../format.ts';
import { useEarlyKeys } from './early-keys.ts';
import { type GridColumn, inGridOrder, isNumeric } from './grid-columns.ts';
import type { ResultPages } from './result-pages.ts';
import type { SortOrder } from './row-view.ts';

export type Selection = NonNullable<Parameters<typeof HighTable>[0]['selection']>;
export type Visibility = NonNullable<Parameters<typeof HighTable>[0]['columnsVisibility']>;

/**
 * The position of the keyboard: row and column from 0; row -1 is the header, column -1 the row
 * number.
 */
export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

export interface ResultGridProps {
  readonly pages: ResultPages;
  readonly columns: readonly GridColumn[];
  readonly pinned: readonly string[];
  readonly visibility: Visibility;
  readonly selection: Selection;
  readonly place: GridPosition;
  readonly onPinned: (pinned: readonly string[]) => void;
  readonly onVisibility: (visibility: Visibility) => void;
  readonly onSelection: (selection: Selection) => void;
  readonly onPlace: (place: GridPosition) => void;
  /** Called to show the full text of a cell. */
  readonly onOpenCell: (row: number, column: GridColumn) => void;
  /** Called to copy the selected rows, or this one, to the clipboard. */
  readonly onCopy: (row: number) => void;
  readonly onError: (error: unknown) => void;
  /** Sorting by headers, and the other choices of a column's menu; none while a query runs. */
  readonly columnActions?: ColumnActions;
}

export interface ColumnActions {
  readonly sort: SortOrder | undefined;
  readonly onSort: (sort: SortOrder | undefined) => void;
  /** The choices of a column's menu. */
  readonly itemsOf: (
    column: GridColumn,
  ) => readonly { readonly label: string; readonly onClick: () => void }[];
}

/** At most this many rows are visible at once. */
const rowsAtOnceMax = 2000;

/** The width of a timestamp with milliseconds in pixels: narrower columns would cut its time. */
const timestampWidth = 200;

/** Longer cells are truncated here; Enter or a double click opens the whole cell. */
const shownCharacters = 200;

/** All rows of a result: HighTable draws the visible ones, and requests missing ones. */
export function ResultGrid(props: ResultGridProps): ReactNode {
  const { pages, columns, pinned, visibility, selection, place, onPinned, columnActions } = props;
  const ordered = useMemo(() => inGridOrder(columns, pinned), [columns, pinned]);
  const isSortable = columnActions !== undefined;
  const data = useMemo(() => dataFrameOf(pages, ordered, isSortable), [pages, ordered, isSortable]);
  const configuration = useMemo(
    () =>
      Object.fromEntries(
        ordered.map((column) => [
          column.key,
          {
            headerComponent: (controls: ReactNode) => (
              <Header column={column} controls={controls} isPinned={pinned.includes(column.key)} />
            ),
            className: [
              isNumeric(column.dataType) ? 'is-number' : '',
              pinned.includes(column.key) ? `is-pinned pin-${pinned.indexOf(column.key)}` : '',
            ]
              .join(' ')
              .trim(),
            ...(column.dataType === 'TIMESTAMP' && { minWidth: timestampWidth }),
            menuGroups: [
              {
                title: column.dataType,
                items: [
                  pinned.includes(column.key)
                    ? {
                        label: 'Unpin column',
                        onClick: () => onPinned(pinned.filter((key) => key !== column.key)),
                      }
                    : { label: 'Pin column', onClick: () => onPinned([...pinned, column.key]) },
                  ...(columnActions?.itemsOf(column) ?? []),
                ],
              },
            ],
          },
        ]),
      ),
    [ordered, pinned, onPinned, columnActions],
  );
  // A new object is a new request to move there, and takes the focus.
  const cellPosition = useMemo(
    () => ({ colIndex: place.column + 2, rowIndex: place.row + 2 }),
    [place],
  );
  const container = useRef<HTMLDivElement>(null);
  usePinnedOffsets(container, pinned, visibility);
  useEarlyKeys(container, place);
  const placeBefore = useRef(place);
  useEffect(() => {
    const { current: element } = container;
    if (placeBefore.current === place || element === null) return;
    placeBefore.current = place;
    // The cell takes the focus once it is drawn; until then the grid has it, and queues the keys.
    if (!element.contains(document.activeElement)) element.focus({ preventScroll: true });
  }, [place]);
  const visible = ordered.filter(({ key }) => visibility[key]?.hidden !== true);
  const onKeyDown = (event: KeyboardEvent, columnIndex: number, row: number): void => {
    const column = ordered[columnIndex];
    if (column === undefined) return;
    const isControl = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && !isControl) {
      event.preventDefault();
      props.onOpenCell(row, column);
    } else if (isControl && (event.key === 'Home' || event.key === 'ArrowUp')) {
      // HighTable goes to the head, which is seen from everywhere, and shows the same rows.
      event.preventDefault();
      event.stopPropagation();
      const first = event.key === 'Home' ? 0 : visible.indexOf(column);
      props.onPlace({ row: 0, column: first });
    } else if (event.key.toLowerCase() === 'c' && isControl && event.shiftKey) {
      event.preventDefault();
      props.onCopy(row);
    }
  };
  return (
    <div className="grid" ref={container} tabIndex={-1}>
      <HighTable
        data={data}
        columnConfiguration={configuration}
        columnsVisibility={visibility}
        onColumnsVisibilityChange={props.onVisibility}
        {...(columnActions !== undefined && {
          orderBy: orderByOf(columnActions.sort),
          onOrderByChange: ([order]: OrderBy) => {
            const column = ordered.find(({ key }) => key === order?.column);
            columnActions.onSort(
              order === undefined || column === undefined
                ? undefined
                : { column, direction: order.direction },
            );
          },
        })}
        selection={selection}
        onSelectionChange={props.onSelection}
        cellPosition={cellPosition}
        onCellPositionChange={({ colIndex, rowIndex }) =>
          props.onPlace({ row: rowIndex - 2, column: Math.min(colIndex, visible.length + 1) - 2 })
        }
        focus={false}
        numRowsPerPage={20}
        onDoubleClickCell={(_event, columnIndex, row) => {
          const column = ordered[columnIndex];
          if (column !== undefined) props.onOpenCell(row, column);
        }}
        onKeyDownCell={onKeyDown}
        onError={(error) => {
          if (!(error instanceof Error && error.name === 'AbortError')) props.onError(error);
        }}
        stringify={(value) =>
          typeof value === 'string' ? visibleText(value.slice(0, shownCharacters)) : ''
        }
        renderCellContent={({ cell }) => (
          <CellContent
            value={cell?.value as string | null | undefined}
            isLoaded={cell !== undefined}
          />
        )}
        className="result-table"
      />
    </div>
  );
}

type OrderBy = NonNullable<Parameters<typeof HighTable>[0]['orderBy']>;

function orderByOf(sort: SortOrder | undefined): OrderBy {
  return sort === undefined ? [] : [{ column: sort.column.key, direction: sort.direction }];
}

/** The server sorts the rows: the grid's own order only marks the header they are sorted by. */
function dataFrameOf(
  pages: ResultPages,
  columns: readonly GridColumn[],
  isSortable: boolean,
): DataFrame {
  const eventTarget = createEventTarget<{
    resolve: undefined;
    update: undefined;
    numrowschange: undefined;
  }>();
  const indexByKey = new Map(columns.map(({ key, index }) => [key, index]));
  return {
    numRows: pages.result.totalRowCount,
    columnDescriptors: columns.map(({ key }) => ({ name: key, sortable: isSortable })),
    exclusiveSort: true,
    eventTarget,
    getRowNumber: ({ row }) => ({ value: row }),
    getCell: ({ row, column }) => {
      const value = pages.textAt(row, indexByKey.get(column) ?? -1);
      return value === undefined ? undefined : { value };
    },
    fetch: async ({ rowStart, rowEnd, signal }) => {
      // A selection of a range requests all rows, but needs their numbers only.
      if (rowEnd - rowStart > rowsAtOnceMax) return;
      await pages.load(rowStart, rowEnd, signal);
      eventTarget.dispatchEvent(new CustomEvent('resolve'));
    },
  };
}

function Header({
  column,
  controls,
  isPinned,
}: {
  readonly column: GridColumn;
  readonly controls: ReactNode;
  readonly isPinned: boolean;
}): ReactNode {
  return (
    <span className="grid-head">
      <span
        className="grid-head-name"
        title={visibleText(column.name)}
        // Headers remain distinguishable with any number of columns.
        style={{ minWidth: `${Math.min(24, column.name.length + 1)}ch` }}
      >
        {isPinned && <span aria-label="pinned">⇤ </span>}
        {visibleText(column.name === '' ? column.key : column.name)}
      </span>
      <span className="grid-head-type">{column.dataType}</span>
      {controls}
    </span>
  );
}

function CellContent({
  value,
  isLoaded,
}: {
  readonly value: string | null | undefined;
  readonly isLoaded: boolean;
}): ReactNode {
  if (!isLoaded || value === undefined) return null;
  if (value === null) return <span className="null">null</span>;
  if (value === '') return <span className="null">empty</span>;
  return visibleText(
    value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value,
  );
}

/** The position of each pinned column depends on the widths of those before it. */
function usePinnedOffsets(
  container: { readonly current: HTMLDivElement | null },
  pinned: readonly string[],
  visibility: Visibility,
): void {
  useEffect(() => {
    const { current: element } = container;
    if (element === null || pinned.length === 0) return undefined;
    const place = (): void => {
      const corner = element.querySelector<HTMLElement>('thead td');
      let offset = corner?.offsetWidth ?? 0;
      pinned.forEach((_key, index) => {
        element.style.setProperty(`--pin-${index}`, `${offset}px`);
        offset += element.querySelector<HTMLElement>(`thead th.pin-${index}`)?.offsetWidth ?? 0;
      });
    };
    const observer = new ResizeObserver(place);
    for (const head of element.querySelectorAll('thead td, thead th.is-pinned')) {
      observer.observe(head);
    }
    place();
    return () => observer.disconnect();
  }, [container, pinned, visibility]);
}

/** Announces the position for screen readers. */
export function describePosition({ row }: GridPosition, rowCount: number): string {
  return row < 0
    ? `${formatCount(rowCount)} rows`
    : `Row ${formatCount(row + 1)} of ${formatCount(rowCount)}`;
}
