import type { ReactNode } from 'react';
import { readTableNames, selectAll } from '../query/catalog.ts';
import { counted, formatBytes, formatCount } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';

interface ListedTable {
  readonly name: string;
  readonly halves: readonly { readonly type: string; readonly segmentCount: number; readonly sizeBytes: number }[];
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const columns: readonly ListColumn<ListedTable>[] = [
  { name: 'Table', cell: ({ name }) => <a href={placeOf(['tables', name])}>{name}</a> },
  {
    name: 'Type',
    cell: ({ halves }) =>
      halves.map(({ type }) => (
        <Badge key={type} tone={type === 'REALTIME' ? 'accent' : ''}>
          {type}
        </Badge>
      )),
  },
  { name: 'Segments', isNumber: true, cell: ({ halves }) => formatCount(sum(halves.map(({ segmentCount }) => segmentCount))) },
  { name: 'Size', isNumber: true, cell: ({ halves }) => formatBytes(sum(halves.map(({ sizeBytes }) => sizeBytes))) },
  { name: 'Actions', isActions: true, cell: ({ name }) => <a href={placeOf(['query'], { sql: selectAll(name) })}>Query</a> },
];

/** All tables, and the way to make another. */
export function TablesPage(): ReactNode {
  const { call, admin, role } = useSession();
  const tables = useResource('tables', async (signal): Promise<readonly ListedTable[]> => {
    const names = await readTableNames(call, signal);
    return Promise.all(
      names.map(async (name) => ({ name, halves: await admin.readTableSizes(name, { signal }).catch(() => []) })),
    );
  });
  return (
    <Page
      title="Tables"
      about="What queries can read: files that the settings name, and tables that were made here."
      actions={
        <a className={role === 'admin' ? 'button main' : 'button'} href={placeOf(['preview'])}>
          {role === 'admin' ? 'Make a table' : 'Preview a table'}
        </a>
      }
    >
      <Resolved of={tables} what="the tables">
        {(list) => (
          <Card title={counted(list.length, 'table')} flush>
            <ListTable
              items={list}
              columns={columns}
              keyOf={({ name }) => name}
              empty={
                <Empty title="No table has been made yet">
                  <p>Make one from a file or a few rows.</p>
                </Empty>
              }
            />
          </Card>
        )}
      </Resolved>
    </Page>
  );
}
