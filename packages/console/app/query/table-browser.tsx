import { visibleText } from '@quire/core/portable';
import { type ReactNode, useState } from 'react';
import { placeOf } from '../router.ts';
import type { Resource } from '../use-resource.ts';
import { Dialog } from '../widgets/dialog.tsx';
import { Resolved } from '../widgets/states.tsx';
import { type Catalog, type CatalogColumn, quoteName } from './catalog.ts';
import { RowCount, SampleRows } from './table-rows.tsx';

/** The number of listed tables; a search finds the others. */
const shownMax = 200;

/** The tables that queries can read, with their columns; a click writes a name into the editor. */
export function TableBrowser({
  catalog,
  onInsert,
}: {
  readonly catalog: Resource<Catalog>;
  readonly onInsert: (text: string) => void;
}): ReactNode {
  const [search, setSearch] = useState('');
  const [sampled, setSampled] = useState<string>();
  return (
    <aside className="card table-browser" aria-label="Tables and columns">
      <input
        type="search"
        aria-label="Find a table or column"
        placeholder="Find a table or column"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <Resolved of={catalog} what="the tables">
        {(tables) => {
          const found = findTables(tables, search);
          return found.length === 0 ? (
            <p className="quiet card-note">
              {search === '' ? (
                <>
                  There is no table yet. <a href={placeOf(['preview'])}>Create one</a> from a file.
                </>
              ) : (
                'No table or column has a name that contains this.'
              )}
            </p>
          ) : (
            <ul className="table-tree">
              {found.slice(0, shownMax).map(([name, columns, isColumnFound]) => (
                <TableItem
                  key={name}
                  name={name}
                  columns={columns}
                  isColumnFound={isColumnFound}
                  onInsert={onInsert}
                  onSample={() => setSampled(name)}
                />
              ))}
            </ul>
          );
        }}
      </Resolved>
      {sampled !== undefined && <Sample name={sampled} onClose={() => setSampled(undefined)} />}
    </aside>
  );
}

/** A table with its visible columns, and whether the search has found it. */
type FoundTable = readonly [name: string, columns: readonly CatalogColumn[], isColumn: boolean];

/**
 * Returns the tables that match a search: with all columns if the name matches, otherwise with the
 * matching columns.
 */
function findTables(catalog: Catalog, search: string): readonly FoundTable[] {
  const wanted = search.trim().toLowerCase();
  return Object.entries(catalog).flatMap(([name, columns]): readonly FoundTable[] => {
    if (name.toLowerCase().includes(wanted)) return [[name, columns, false]];
    const fitting = columns.filter((column) => column.name.toLowerCase().includes(wanted));
    return fitting.length === 0 ? [] : [[name, fitting, true]];
  });
}

function TableItem({
  name,
  columns,
  isColumnFound,
  onInsert,
  onSample,
}: {
  readonly name: string;
  readonly columns: readonly CatalogColumn[];
  readonly isColumnFound: boolean;
  readonly onInsert: (text: string) => void;
  readonly onSample: () => void;
}): ReactNode {
  const [isToggled, setIsToggled] = useState(false);
  const isOpen = isToggled || isColumnFound;
  return (
    <li>
      <div className="table-line">
        <button
          type="button"
          className="toggle"
          aria-expanded={isOpen}
          aria-label={`Columns of ${visibleText(name)}`}
          onClick={() => setIsToggled(!isToggled)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <button
          type="button"
          className="insert"
          title="Write the name into the query"
          onClick={() => onInsert(quoteName(name))}
        >
          {visibleText(name)}
        </button>
      </div>
      {isOpen && (
        <>
          <p className="table-facts quiet">
            <RowCount table={name} />
            <button type="button" className="link" onClick={onSample}>
              Sample
            </button>
            <a href={placeOf(['tables', name])}>Details</a>
          </p>
          <ul>
            {columns.map((column, index) => (
              <li key={index}>
                <button
                  type="button"
                  className="insert"
                  title="Write the name into the query"
                  onClick={() => onInsert(quoteName(column.name))}
                >
                  <span>{visibleText(column.name)}</span>
                  <small className="quiet">{column.dataType}</small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

function Sample({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog title={`Rows of ${visibleText(name)}`} onClose={onClose}>
      <SampleRows table={name} />
    </Dialog>
  );
}
