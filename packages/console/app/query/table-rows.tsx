import { type ReactNode, useRef } from 'react';
import { counted, formatCount } from '../format.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { ListTable } from '../widgets/list-table.tsx';
import { Resolved } from '../widgets/states.tsx';
import { readPlain, readRowCount, sampleOf } from './plain-query.ts';

/** The row count of a table, counted by the server. */
export function RowCount({
  table,
  everyMs,
}: {
  readonly table: string;
  /** The period after which the rows of a growing table are counted again. */
  readonly everyMs?: number;
}): ReactNode {
  const { call } = useSession();
  const first = useRef<number>(undefined);
  const rows = useResource(
    `rows ${table}`,
    async (signal) => {
      const count = await readRowCount(call, table, signal);
      first.current ??= count;
      return count;
    },
    everyMs === undefined ? {} : { everyMs },
  );
  const grown = (rows.value ?? 0) - (first.current ?? 0);
  return (
    <span className="number" aria-busy={rows.isLoading}>
      {rows.value !== undefined
        ? `${counted(rows.value, 'row')}${grown > 0 ? `, ${formatCount(grown)} of them since you opened this page` : ''}`
        : rows.error === undefined
          ? 'counting…'
          : 'rows not known'}
    </span>
  );
}

/** The first rows that the server finds of a table. */
export function SampleRows({ table }: { readonly table: string }): ReactNode {
  const { call } = useSession();
  const sample = useResource(`sample ${table}`, (signal) =>
    readPlain(call, sampleOf(table), signal),
  );
  return (
    <Resolved of={sample} what="rows">
      {({ names, rows }) => (
        <div className="scroll-x" tabIndex={0} role="region" aria-label={`Rows of ${table}`}>
          <ListTable
            items={rows}
            columns={names.map((column, index) => ({
              name: column,
              className: 'cut',
              title: (row: readonly (string | null)[]) => row[index] ?? '',
              cell: (row: readonly (string | null)[]) =>
                row[index] ?? <span className="null">null</span>,
            }))}
            keyOf={(_row, index) => String(index)}
            empty={<p className="quiet card-note">The table has no rows yet.</p>}
          />
        </div>
      )}
    </Resolved>
  );
}
