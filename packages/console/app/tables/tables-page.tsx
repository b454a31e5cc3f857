import type { ControllerHealthResponse } from '@quire/api';
import type { FileTable } from '@quire/client';
import { systemClock } from '@quire/core/portable';
import { type ReactNode, useRef, useState } from 'react';
import type { Call } from '../call.ts';
import { readTableNames, selectAll } from '../query/catalog.ts';
import { RowCount } from '../query/table-rows.tsx';
import { counted, formatBytes, formatCount } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { useSeen } from '../use-seen.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';
import { TableSizes } from './table-sizes.ts';

type TableProblem = NonNullable<ControllerHealthResponse['problems']>[number];

interface ListedTable {
  readonly name: string;
  readonly isDamaged: boolean;
  readonly halves: readonly {
    readonly type: string;
    readonly segmentCount: number;
    readonly sizeBytes: number;
    readonly rowCount?: number;
  }[];
  /** The files and rows of a table over files of the settings; undefined for other tables. */
  readonly files: FileTable | undefined;
}

/** A table over files is offline, and has no segments. */
const fileHalves: ListedTable['halves'] = [{ type: 'OFFLINE', segmentCount: 0, sizeBytes: 0 }];

const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);

/** Returns the known rows of a table; undefined if the server would have to count them. */
function rowsOf({ files, halves }: ListedTable): number | undefined {
  if (files !== undefined) return files.rowCount;
  const counts = halves.flatMap(({ rowCount }) => rowCount ?? []);
  return counts.length < Math.max(1, halves.length) ? undefined : sum(counts);
}

const columns: readonly ListColumn<ListedTable>[] = [
  {
    name: 'Table',
    cell: ({ name, isDamaged }) => (
      <>
        <a href={placeOf(['tables', name])}>{name}</a>{' '}
        {isDamaged && <Badge tone="bad">damaged</Badge>}
      </>
    ),
  },
  {
    name: 'Type',
    cell: ({ halves }) =>
      halves.map(({ type }) => (
        <Badge key={type} tone={type === 'REALTIME' ? 'accent' : ''}>
          {type}
        </Badge>
      )),
  },
  {
    name: 'Rows',
    isNumber: true,
    cell: (table) => {
      const count = rowsOf(table);
      return count === undefined ? <CountWhenSeen table={table.name} /> : counted(count, 'row');
    },
  },
  {
    name: 'Segments',
    isNumber: true,
    cell: ({ files, halves }) =>
      files === undefined
        ? formatCount(sum(halves.map(({ segmentCount }) => segmentCount)))
        : counted(files.fileCount, 'file'),
  },
  {
    name: 'Size',
    isNumber: true,
    cell: ({ files, halves }) =>
      formatBytes(files?.sizeBytes ?? sum(halves.map(({ sizeBytes }) => sizeBytes))),
  },
  {
    name: 'Actions',
    isActions: true,
    cell: ({ name }) => <a href={placeOf(['query'], { sql: selectAll(name) })}>Query</a>,
  },
];

/** Rows are counted once their line is visible: a list may be long. */
function CountWhenSeen({ table }: { readonly table: string }): ReactNode {
  const mark = useRef<HTMLSpanElement>(null);
  const isSeen = useSeen(mark);
  return <span ref={mark}>{isSeen ? <RowCount table={table} /> : '…'}</span>;
}

/** The interval of reading the list, since real-time tables grow while they are shown. */
const readEveryMs = 10_000;

/** All tables, and the button to create another. */
export function TablesPage(): ReactNode {
  const { call, admin, role } = useSession();
  const [sizes] = useState(() => new TableSizes(systemClock));
  const load = async (signal: AbortSignal) => {
    const [names, problems, fileTables] = await Promise.all([
      readTableNames(call, signal),
      readProblems(call, signal),
      admin.listFileTables({ signal }),
    ]);
    const list = await Promise.all(
      names.map(async (name): Promise<ListedTable> => {
        const isDamaged = problems.some(
          ({ kind, subject }) =>
            kind === 'table' && subject.replace(/_(OFFLINE|REALTIME)$/, '') === name,
        );
        const files = fileTables.find(({ tableName }) => tableName === name);
        const readSizes = () => admin.readTableSizes(name, { signal });
        const halves =
          files === undefined ? await sizes.read(name, readSizes).catch(() => []) : fileHalves;
        return { name, isDamaged, files, halves };
      }),
    );
    return { list, problems };
  };
  const tables = useResource('tables', load, { everyMs: readEveryMs });
  return (
    <Page
      title="Tables"
      about="The tables that queries can read: files that the settings name, and tables that were created here."
      actions={
        <a className={role === 'admin' ? 'button main' : 'button'} href={placeOf(['preview'])}>
          {role === 'admin' ? 'Make a table' : 'Preview a table'}
        </a>
      }
    >
      <Resolved of={tables} what="the tables">
        {({ list, problems }) => (
          <>
            <Problems problems={problems} />
            <Card title={counted(list.length, 'table')} flush>
              <ListTable
                items={list}
                columns={columns}
                keyOf={({ name }) => name}
                empty={
                  <Empty title="No table has been created yet">
                    <p>Create one from a file or a few rows.</p>
                  </Empty>
                }
              />
            </Card>
          </>
        )}
      </Resolved>
    </Page>
  );
}

/** The problems that the controller reports; empty if it has no table engine. */
async function readProblems(call: Call, signal: AbortSignal): Promise<readonly TableProblem[]> {
  const { problems } = (await call('/health', { signal })) as unknown as ControllerHealthResponse;
  return problems ?? [];
}

function Problems({ problems }: { readonly problems: readonly TableProblem[] }): ReactNode {
  if (problems.length === 0) return null;
  return (
    <div className="notice bad" role="alert">
      <strong>{counted(problems.length, 'problem')} for an operator</strong>
      <ul>
        {problems.map(({ kind, subject, problem }) => (
          <li key={`${kind} ${subject} ${problem}`}>
            <code>{subject}</code> {problem}
          </li>
        ))}
      </ul>
    </div>
  );
}
