import { visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';

export interface ListColumn<Item> {
  readonly name: string;
  readonly isNumber?: boolean;
  /** True for a column of buttons and links, whose names suffice: the header shows nothing. */
  readonly isActions?: boolean;
  readonly className?: string;
  readonly title?: (item: Item) => string;
  readonly cell: (item: Item) => ReactNode;
}

/** A list with a header; `empty` replaces it if the list is empty. */
export function ListTable<Item>({
  items,
  columns,
  keyOf,
  empty,
}: {
  readonly items: readonly Item[];
  readonly columns: readonly ListColumn<Item>[];
  readonly keyOf: (item: Item, index: number) => string;
  readonly empty: ReactNode;
}): ReactNode {
  if (items.length === 0) return empty;
  return (
    <table className="list">
      <thead>
        <tr>
          {columns.map((column, index) => (
            <th key={index} className={column.isNumber === true ? 'number' : undefined}>
              {column.isActions === true ? (
                <span className="hidden-text">{column.name}</span>
              ) : (
                visibleText(column.name)
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => (
          <tr key={keyOf(item, index)}>
            {columns.map((column, place) => (
              <td key={place} className={classOf(column)} title={shownText(column.title?.(item))}>
                {shownText(column.cell(item))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Texts may come from other users; elements handle theirs. */
function shownText<Shown>(shown: Shown): Shown | string {
  return typeof shown === 'string' ? visibleText(shown) : shown;
}

function classOf<Item>({ isNumber, isActions, className }: ListColumn<Item>): string | undefined {
  return className ?? (isNumber === true ? 'number' : isActions === true ? 'actions' : undefined);
}
