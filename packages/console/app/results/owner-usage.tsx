import type { StoredResult } from '@quire/api';
import { type ReactNode, useEffect, useState } from 'react';
import { formatBytes } from '../format.ts';
import { useSession } from '../session.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge } from '../widgets/page.tsx';
import { Owner } from './result-details-parts.tsx';

/** The quota of one principal on all brokers, by its name; undefined for no limit of its own. */
export type ShareOf = (name: string) => number | undefined;

/** The usage of one owner. */
interface OwnerRow {
  /** One of the results, by which the owner's name is found. */
  readonly requestId: string;
  readonly resultCount: number;
  readonly bytes: number;
}

/** The number of listed owners, by usage. */
const rowsMax = 10;

/** The principals that store the most, and the usage of their quotas. */
export function OwnerUsage({
  results,
  shareOf,
}: {
  readonly results: readonly StoredResult[];
  readonly shareOf: ShareOf | undefined;
}): ReactNode {
  const rows = rowsOf(results).slice(0, rowsMax);
  const columns = shareOf === undefined ? plainColumns : [...plainColumns, shareColumn(shareOf)];
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Storage by principal">
      <ListTable items={rows} columns={columns} keyOf={({ requestId }) => requestId} empty={null} />
    </div>
  );
}

const plainColumns: readonly ListColumn<OwnerRow>[] = [
  { name: 'Principal', cell: ({ requestId }) => <Owner requestId={requestId} /> },
  { name: 'Results', isNumber: true, cell: ({ resultCount }) => resultCount },
  { name: 'Stored', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
];

function shareColumn(shareOf: ShareOf): ListColumn<OwnerRow> {
  return {
    name: 'Of its share',
    isNumber: true,
    cell: (row) => <Share {...row} shareOf={shareOf} />,
  };
}

function Share({ requestId, bytes, shareOf }: OwnerRow & { readonly shareOf: ShareOf }): ReactNode {
  const { details } = useSession();
  const [name, setName] = useState<string>();
  useEffect(
    () => void details.read(requestId).then((read) => setName(read?.owner)),
    [details, requestId],
  );
  const shareBytes = name === undefined ? undefined : shareOf(name);
  if (shareBytes === undefined) return name === undefined ? '…' : 'no limit';
  const percent = (100 * bytes) / shareBytes;
  return (
    <>
      {percent > 100 && <Badge tone="bad">exceeded</Badge>} {percent.toFixed(1)} % of{' '}
      {formatBytes(shareBytes)}
    </>
  );
}

/**
 * Pure: an id has its owner's tag at the beginning of its last group. Ids of earlier releases have
 * none there, and are therefore separate rows.
 */
function rowsOf(results: readonly StoredResult[]): readonly OwnerRow[] {
  const byTag = Map.groupBy(results, ({ requestId }) => requestId.slice(24, 32));
  const rows = Array.from(byTag.values(), (parts): OwnerRow => {
    const bytes = parts.reduce(
      (sum, { responseMetadata }) => sum + (responseMetadata[0]?.sizeBytes ?? 0),
      0,
    );
    return { requestId: parts[0]?.requestId ?? '', resultCount: parts.length, bytes };
  });
  return rows.toSorted((one, other) => other.bytes - one.bytes);
}
