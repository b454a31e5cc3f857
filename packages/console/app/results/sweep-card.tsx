import type { ClusterSweepResponse } from '@quire/api';
import { type ReactNode, useState } from 'react';
import { counted, formatBytes, formatSpan } from '../format.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';

/** The results that the next sweep would delete, with the reasons; a preview deletes nothing. */
export function SweepCard(): ReactNode {
  const [isAsked, setIsAsked] = useState(false);
  return (
    <Card
      title="The next sweep"
      actions={
        <button type="button" className="button small" onClick={() => setIsAsked(!isAsked)}>
          {isAsked ? 'Hide' : 'What would it delete?'}
        </button>
      }
    >
      {isAsked ? (
        <SweepPlan />
      ) : (
        <p className="quiet">
          A sweep deletes what has expired, evicts what exceeds the quota, and deletes the remains
          of crashed writes.
        </p>
      )}
    </Card>
  );
}

const columns: readonly ListColumn<ClusterSweepResponse['brokers'][number]['removals'][number]>[] =
  [
    {
      name: 'Why',
      cell: ({ reason }) => <Badge tone={reason === 'evicted' ? 'warn' : ''}>{reason}</Badge>,
      title: ({ limitedBy }) => limitedBy ?? '',
    },
    { name: 'What', cell: ({ id }) => <code>{id}</code> },
    { name: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
    { name: 'Age', cell: ({ ageMs }) => formatSpan(ageMs) },
  ];

function SweepPlan(): ReactNode {
  const { call } = useSession();
  const plan = useResource(
    'sweep',
    async (signal) => (await call('/cluster/sweep', { signal })) as unknown as ClusterSweepResponse,
  );
  return (
    <Resolved of={plan} what="the plan">
      {({ brokers }) => (
        <>
          {brokers.map(({ url, error, removals, removalCount, owners }) => (
            <div key={url}>
              {error !== null && (
                <div className="notice warn">
                  <strong>{url} does not say</strong>
                  <p>{error}</p>
                </div>
              )}
              {error === null && removals.length === 0 && (
                <p>{url}: a sweep would delete nothing now.</p>
              )}
              <Shares owners={owners} />
              {removals.length > 0 && (
                <div
                  className="scroll-x"
                  tabIndex={0}
                  role="region"
                  aria-label={`Deletions of ${url}`}
                >
                  <p>
                    {url}: {counted(removalCount, 'deletion')},{' '}
                    {formatBytes(removals.reduce((sum, { bytes }) => sum + bytes, 0))}
                  </p>
                  <ListTable
                    items={removals}
                    columns={columns}
                    keyOf={({ id, reason }) => `${reason} ${id}`}
                    empty={null}
                  />
                </div>
              )}
            </div>
          ))}
        </>
      )}
    </Resolved>
  );
}

type PlannedOwner = ClusterSweepResponse['brokers'][number]['owners'][number];

const shareColumns: readonly ListColumn<PlannedOwner>[] = [
  { name: 'Principal', cell: ({ name, owner }) => name ?? <code>{owner}</code> },
  { name: 'In use', isNumber: true, cell: ({ usageBytes }) => formatBytes(usageBytes) },
  {
    name: 'After the sweep',
    isNumber: true,
    cell: ({ usageAfterBytes }) => formatBytes(usageAfterBytes),
  },
  {
    name: 'Share',
    isNumber: true,
    cell: ({ shareBytes }) => (shareBytes === null ? '' : formatBytes(shareBytes)),
  },
];

/** The usage of each principal with a quota after a sweep. */
function Shares({ owners }: { readonly owners: readonly PlannedOwner[] }): ReactNode {
  const limited = owners.filter(({ shareBytes }) => shareBytes !== null);
  if (limited.length === 0) return null;
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Shares after the sweep">
      <ListTable
        items={limited}
        columns={shareColumns}
        keyOf={({ owner }) => owner ?? ''}
        empty={null}
      />
    </div>
  );
}
