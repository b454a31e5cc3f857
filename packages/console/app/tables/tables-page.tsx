import type { ReactNode } from 'react';
import { readTableNames } from '../query/catalog.ts';
import { formatBytes, formatCount } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';

interface ListedTable {
  readonly name: string;
  readonly halves: readonly { readonly type: string; readonly segmentCount: number; readonly sizeBytes: number }[];
}

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
          <Card title={`${formatCount(list.length)} tables`} flush>
            {list.length === 0 ? (
              <Empty title="There are no tables">
                <p>Make one from a file or a few rows.</p>
              </Empty>
            ) : (
              <table className="list">
                <thead>
                  <tr>
                    <th>Table</th>
                    <th>Type</th>
                    <th className="number">Segments</th>
                    <th className="number">Size</th>
                    <th>
                      <span className="hidden-text">Query</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map(({ name, halves }) => (
                    <tr key={name}>
                      <td>
                        <a href={placeOf(['tables', name])}>{name}</a>
                      </td>
                      <td>
                        {halves.map(({ type }) => (
                          <Badge key={type} tone={type === 'REALTIME' ? 'accent' : ''}>
                            {type}
                          </Badge>
                        ))}
                      </td>
                      <td className="number">{formatCount(halves.reduce((sum, { segmentCount }) => sum + segmentCount, 0))}</td>
                      <td className="number">{formatBytes(halves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))}</td>
                      <td className="actions">
                        <a href={placeOf(['query'], { sql: `SELECT *\nFROM "${name.replaceAll('"', '""')}"` })}>Query</a>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
        )}
      </Resolved>
    </Page>
  );
}
