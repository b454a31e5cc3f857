import type { ClusterResultsResponse, StoredResult } from '@quire/api';
import { type ReactNode, useState } from 'react';
import { counted, formatBytes, formatCount, formatSpan, formatTime } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { Confirm } from '../widgets/dialog.tsx';
import { Badge, Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { OwnerCell } from './owner-cell.tsx';
import { UsageCard } from './usage-card.tsx';
import { SweepCard } from './sweep-card.tsx';

const shownMax = 500;

/** All that is stored, on all brokers. */
export function ResultsPage(): ReactNode {
  const { call } = useSession();
  const results = useResource(
    'results',
    async (signal) => (await call('/cluster/results', { signal })) as unknown as ClusterResultsResponse,
    { everyMs: 10_000 },
  );
  return (
    <Page title="Results" about="Whole answers of queries, stored until they expire.">
      <Resolved of={results} what="the results">
        {({ resultMetadataList: list, brokers }) => (
          <>
            {brokers
              .filter(({ state }) => state === 'failed')
              .map(({ url, error }) => (
                <div className="notice warn" key={url}>
                  <strong>The results of {url} are missing</strong>
                  <p>{error}</p>
                </div>
              ))}
            <UsageCard results={list} />
            <SweepCard />
            <ResultList list={list} onChanged={results.reload} />
          </>
        )}
      </Resolved>
    </Page>
  );
}

function ResultList({ list, onChanged }: { readonly list: readonly StoredResult[]; readonly onChanged: () => void }): ReactNode {
  const { client } = useSession();
  const { attempt } = useToasts();
  const nowMs = useNow(1000);
  const [filter, setFilter] = useState('');
  const [doomed, setDoomed] = useState<StoredResult>();
  const shown = list.filter(({ requestId, brokerId }) => `${requestId} ${brokerId}`.includes(filter.trim()));
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
      {shown.length === 0 ? (
        <Empty title={list.length === 0 ? 'Nothing is stored' : 'No result matches'}>
          {list.length === 0 && <p>Run a query: its answer appears here.</p>}
        </Empty>
      ) : (
        <table className="list">
          <thead>
            <tr>
              <th>Result</th>
              <th>Owner</th>
              <th>Broker</th>
              <th className="number">Rows</th>
              <th className="number">Size</th>
              <th>Age</th>
              <th>Expires</th>
              <th>
                <span className="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, shownMax).map((result) => {
              const { requestId, brokerId, submissionTimeMs, expirationTimeMs, responseMetadata } = result;
              const leftMs = expirationTimeMs - nowMs;
              return (
                <tr key={`${brokerId} ${requestId}`}>
                  <td>
                    <a href={placeOf(['query'], { id: requestId })}>
                      <code>{requestId}</code>
                    </a>
                  </td>
                  <OwnerCell requestId={requestId} />
                  <td>{brokerId}</td>
                  <td className="number">{formatCount(responseMetadata[0]?.numRows ?? 0)}</td>
                  <td className="number">{formatBytes(responseMetadata[0]?.sizeBytes ?? 0)}</td>
                  <td title={formatTime(submissionTimeMs)}>{formatSpan(nowMs - submissionTimeMs)}</td>
                  <td title={formatTime(expirationTimeMs)}>
                    {leftMs <= 0 ? <Badge tone="warn">expired</Badge> : `in ${formatSpan(leftMs)}`}
                  </td>
                  <td className="actions">
                    <button type="button" className="button small plain" disabled={leftMs <= 0} onClick={() => renew(result)}>
                      Keep for 1 d
                    </button>
                    <button type="button" className="button small plain danger" onClick={() => setDoomed(result)}>
                      Delete
                    </button>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {shown.length > shownMax && <p className="quiet card-note">The newest {shownMax} are shown.</p>}
      {doomed !== undefined && (
        <Confirm
          title="Delete this result?"
          action="Delete"
          onConfirm={() => remove(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          <p>
            {counted(doomed.responseMetadata[0]?.numRows ?? 0, 'row')}, {formatBytes(doomed.responseMetadata[0]?.sizeBytes ?? 0)}.
            Who reads it now is told that it was deleted.
          </p>
        </Confirm>
      )}
    </Card>
  );
}
