import type { HealthResponse, StoredResult } from '@quire/api';
import type { ReactNode } from 'react';
import { formatBytes } from '../format.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge } from '../widgets/page.tsx';
import { Owner } from './owner.tsx';

type HealthOwner = NonNullable<HealthResponse['cleaner']>['owners'][number];

/** What one owner stores on all brokers. */
interface OwnerRow extends HealthOwner {
  /** One of its results, by which its name is found; undefined when the list has none. */
  readonly requestId: string | undefined;
}

/** Who stores the most, and how much of its share. */
export function OwnerUsage({
  owners,
  results,
}: {
  readonly owners: readonly HealthOwner[];
  readonly results: readonly StoredResult[];
}): ReactNode {
  const rows = rowsOf(owners, results);
  const hasShares = rows.some(({ shareBytes }) => shareBytes !== null);
  return (
    <div className="scroll-x">
      <ListTable
        items={rows}
        columns={hasShares ? [...columns, shareColumn] : columns}
        keyOf={({ owner }) => owner ?? 'none'}
        empty={null}
      />
    </div>
  );
}

const columns: readonly ListColumn<OwnerRow>[] = [
  {
    name: 'Principal',
    cell: ({ owner, requestId }) => {
      if (owner === null) return <span className="null">stored by an earlier release</span>;
      return requestId === undefined ? <code>{owner}</code> : <Owner requestId={requestId} />;
    },
  },
  { name: 'Results', isNumber: true, cell: ({ resultCount }) => resultCount },
  { name: 'In use', isNumber: true, cell: ({ usageBytes }) => formatBytes(usageBytes) },
];

const shareColumn: ListColumn<OwnerRow> = {
  name: 'Of its share',
  isNumber: true,
  cell: ({ usageBytes, shareBytes }) => {
    if (shareBytes === null) return 'no limit';
    const percent = (100 * usageBytes) / shareBytes;
    return (
      <>
        {percent > 100 && <Badge tone="bad">exceeded</Badge>} {percent.toFixed(1)} % of {formatBytes(shareBytes)}
      </>
    );
  },
};

/** An id has its owner's tag at the beginning of its last group. */
function rowsOf(owners: readonly HealthOwner[], results: readonly StoredResult[]): readonly OwnerRow[] {
  const byOwner = Map.groupBy(owners, ({ owner }) => owner);
  const rows = Array.from(byOwner, ([owner, parts]): OwnerRow => {
    const sum = (read: (part: HealthOwner) => number): number => parts.reduce((total, part) => total + read(part), 0);
    return {
      owner,
      resultCount: sum(({ resultCount }) => resultCount),
      usageBytes: sum(({ usageBytes }) => usageBytes),
      shareBytes: parts.some(({ shareBytes }) => shareBytes === null) ? null : sum(({ shareBytes }) => shareBytes ?? 0),
      requestId: results.find(({ requestId }) => requestId.slice(24, 32) === owner)?.requestId,
    };
  });
  return rows.toSorted((one, other) => other.usageBytes - one.usageBytes);
}
