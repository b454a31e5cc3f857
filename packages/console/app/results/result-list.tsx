import type { StoredResult } from '@quire/api';
import { type ReactNode, useState } from 'react';
import { counted, formatBytes, formatCount, formatSpan, formatTime } from '../format.ts';
import { selectResult } from '../query/result-query.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useNow } from '../use-resource.ts';
import { Confirm } from '../widgets/dialog.tsx';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card } from '../widgets/page.tsx';
import { Empty } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { Owner } from './owner.tsx';

const shownMax = 500;

/** Every result that is stored, newest first: to open, to keep longer, to delete. */
export function ResultList({
  list,
  onChanged,
}: {
  readonly list: readonly StoredResult[];
  readonly onChanged: () => void;
}): ReactNode {
  const { client } = useSession();
  const { attempt } = useToasts();
  const nowMs = useNow(1000);
  const [filter, setFilter] = useState('');
  const [doomed, setDoomed] = useState<StoredResult>();
  const shown = list.filter(({ requestId, brokerId }) =>
    `${requestId} ${brokerId}`.includes(filter.trim()),
  );
  const renew = ({ requestId }: StoredResult): void =>
    attempt(async () => {
      const { expirationTimeMs } = await client.renew(requestId, '1d');
      onChanged();
      return `Kept until ${formatTime(expirationTimeMs)}.`;
    });
  const remove = ({ requestId }: StoredResult): void =>
    attempt(async () => {
      await client.delete(requestId);
      onChanged();
      return 'The result is deleted.';
    });
  const columns: readonly ListColumn<StoredResult>[] = [
    {
      name: 'Result',
      cell: ({ requestId }) => (
        <a href={placeOf(['query'], { id: requestId })}>
          <code className="result-id" title={requestId}>
            {requestId}
          </code>
        </a>
      ),
    },
    { name: 'Owner', cell: ({ requestId }) => <Owner requestId={requestId} /> },
    { name: 'Broker', cell: ({ brokerId }) => brokerId },
    { name: 'Rows', isNumber: true, cell: (result) => formatCount(rowsOf(result)) },
    { name: 'Size', isNumber: true, cell: (result) => formatBytes(bytesOf(result)) },
    {
      name: 'Age',
      title: ({ submissionTimeMs }) => formatTime(submissionTimeMs),
      cell: ({ submissionTimeMs }) => formatSpan(nowMs - submissionTimeMs),
    },
    {
      name: 'Expires',
      title: ({ expirationTimeMs }) => formatTime(expirationTimeMs),
      cell: ({ expirationTimeMs }) =>
        expirationTimeMs <= nowMs ? (
          <Badge tone="warn">expired</Badge>
        ) : (
          `in ${formatSpan(expirationTimeMs - nowMs)}`
        ),
    },
    {
      name: 'Actions',
      isActions: true,
      cell: (result) => (
        <>
          {result.expirationTimeMs > nowMs && (
            <a
              className="button small plain"
              href={placeOf(['query'], { sql: selectResult(result.requestId) })}
            >
              Query
            </a>
          )}
          <button
            type="button"
            className="button small plain"
            disabled={result.expirationTimeMs <= nowMs}
            onClick={() => renew(result)}
          >
            Keep for 1 d
          </button>
          <button
            type="button"
            className="button small plain danger"
            onClick={() => setDoomed(result)}
          >
            Delete
          </button>
        </>
      ),
    },
  ];
  return (
    <Card
      title={counted(list.length, 'result')}
      flush
      actions={
        <input
          aria-label="Filter by id or broker"
          placeholder="Filter by id or broker"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      }
    >
      <ListTable
        items={shown.slice(0, shownMax)}
        columns={columns}
        keyOf={({ brokerId, requestId }) => `${brokerId} ${requestId}`}
        empty={
          list.length === 0 ? (
            <Empty title="No result is stored">
              <p>Run a query: its answer appears here.</p>
            </Empty>
          ) : (
            <Empty title="No result has this id or broker" />
          )
        }
      />
      {shown.length > shownMax && (
        <p className="quiet card-note">The newest {shownMax} are shown.</p>
      )}
      {doomed !== undefined && (
        <Confirm
          title="Delete this result?"
          action="Delete"
          onConfirm={() => remove(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          <p>
            {counted(rowsOf(doomed), 'row')}, {formatBytes(bytesOf(doomed))}. Who reads it now is
            told that it was deleted.
          </p>
        </Confirm>
      )}
    </Card>
  );
}

function rowsOf({ responseMetadata }: StoredResult): number {
  return responseMetadata[0]?.numRows ?? 0;
}

function bytesOf({ responseMetadata }: StoredResult): number {
  return responseMetadata[0]?.sizeBytes ?? 0;
}
