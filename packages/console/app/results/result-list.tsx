import type { OwnedResult, StoredResult } from '@quire/api';
import { type ReactNode, useEffect, useState } from 'react';
import { counted, formatBytes, formatCount, formatSpan, formatTime } from '../format.ts';
import { selectResult } from '../query/result-query.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useNow } from '../use-resource.ts';
import { Choice } from '../widgets/choice.tsx';
import { Confirm } from '../widgets/dialog.tsx';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card } from '../widgets/page.tsx';
import { Empty } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import type { ResultDetailsReader } from './result-details.ts';
import { Owner, QueryLine, QueryText } from './result-details-parts.tsx';

const shownMax = 500;
/** Results that expire sooner than this are marked. */
const soonMs = 10 * 60_000;

/** The filters by age and expiry. */
const spans = {
  all: { title: 'any', fits: () => true },
  hour: { title: 'of the last hour', fits: ({ ageMs }) => ageMs <= 3_600_000 },
  day: { title: 'of the last day', fits: ({ ageMs }) => ageMs <= 86_400_000 },
  older: { title: 'older than a day', fits: ({ ageMs }) => ageMs > 86_400_000 },
  soon: { title: 'about to expire', fits: ({ leftMs }) => leftMs <= soonMs },
} satisfies Record<
  string,
  {
    readonly title: string;
    readonly fits: (times: { readonly ageMs: number; readonly leftMs: number }) => boolean;
  }
>;

/** A stored result, with its query where the list has it. */
type ListedResult = StoredResult & Partial<Pick<OwnedResult, 'sql'>>;

/** Stored results, newest first: to open, to extend, to delete. */
export function ResultList({
  list,
  onChanged,
}: {
  /** Includes the queries if the list has them; others are requested one by one. */
  readonly list: readonly ListedResult[];
  readonly onChanged: () => void;
}): ReactNode {
  const { client, role, readsResults } = useSession();
  const { attempt } = useToasts();
  const nowMs = useNow(1000);
  const [filter, setFilter] = useState('');
  const [span, setSpan] = useState<keyof typeof spans>('all');
  const [doomed, setDoomed] = useState<StoredResult>();
  const owners = useOwners(role === 'admin' ? list : []);
  const [owner, setOwner] = useState('');
  const wanted = filter.trim().toLowerCase();
  const queries = useQueries(list, wanted !== '');
  const shown = list.filter(
    ({ requestId, brokerId, submissionTimeMs, expirationTimeMs }) =>
      `${requestId} ${brokerId} ${queries.get(requestId) ?? ''}`.toLowerCase().includes(wanted) &&
      (owner === '' || owners.get(ownerTag(requestId)) === owner) &&
      spans[span].fits({ ageMs: nowMs - submissionTimeMs, leftMs: expirationTimeMs - nowMs }),
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
  const columns = columnsOf(nowMs, {
    isAdmin: role === 'admin',
    readsResults,
    onRenew: renew,
    onDelete: setDoomed,
  });
  return (
    <Card
      title={counted(list.length, 'result')}
      flush
      actions={
        <>
          <input
            type="search"
            aria-label="Filter by query, id or broker"
            placeholder="Filter by query, id or broker"
            size={28}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
          <Choice
            label="Age"
            value={span}
            options={Object.entries(spans).map(([each, { title }]) => [each, title])}
            onChange={(chosen) => setSpan(chosen as keyof typeof spans)}
          />
          {role === 'admin' && (
            <Choice
              label="Owner"
              value={owner}
              options={[['', 'any'], ...[...new Set(owners.values())].toSorted()]}
              onChange={setOwner}
            />
          )}
        </>
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
            <Empty title="No result fits the filters" />
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
            {counted(rowsOf(doomed), 'row')}, {formatBytes(bytesOf(doomed))}. Users who are reading
            it see that it was deleted.
          </p>
        </Confirm>
      )}
    </Card>
  );
}

function columnsOf(
  nowMs: number,
  {
    isAdmin,
    readsResults,
    onRenew,
    onDelete,
  }: {
    readonly isAdmin: boolean;
    /** True if queries can read results. */
    readonly readsResults: boolean;
    readonly onRenew: (result: StoredResult) => void;
    readonly onDelete: (result: StoredResult) => void;
  },
): readonly ListColumn<ListedResult>[] {
  return [
    {
      name: 'Result',
      className: 'cut with-query',
      cell: ({ requestId, sql }) => (
        <>
          <a href={placeOf(['query'], { id: requestId })}>
            <code className="result-id" title={requestId}>
              {requestId}
            </code>
          </a>
          <br />
          {sql === undefined ? (
            <QueryText requestId={requestId} />
          ) : (
            <QueryLine sql={sql ?? undefined} />
          )}
        </>
      ),
    },
    ...(isAdmin ? adminColumns : []),
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
          <span className={expirationTimeMs - nowMs <= soonMs ? 'badge warn' : undefined}>
            in {formatSpan(expirationTimeMs - nowMs)}
          </span>
        ),
    },
    {
      name: 'Actions',
      isActions: true,
      cell: (result) => (
        <>
          {readsResults && result.expirationTimeMs > nowMs && (
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
            onClick={() => onRenew(result)}
          >
            Keep for 1 d
          </button>
          <button
            type="button"
            className="button small plain danger"
            onClick={() => onDelete(result)}
          >
            Delete
          </button>
        </>
      ),
    },
  ];
}

const adminColumns: readonly ListColumn<StoredResult>[] = [
  { name: 'Owner', cell: ({ requestId }) => <Owner requestId={requestId} /> },
  { name: 'Broker', cell: ({ brokerId }) => brokerId },
];

/** An id has its owner's tag at the beginning of its last group. */
function ownerTag(requestId: string): string {
  return requestId.slice(24, 32);
}

/** The maximum number of queries to search, newest first. */
const searchedMax = 500;
const callsAtOnce = 8;

/** The queries of results, by their ids; those that the list lacks are requested when needed. */
function useQueries(
  list: readonly ListedResult[],
  isNeeded: boolean,
): ReadonlyMap<string, string | null> {
  const { details } = useSession();
  const [read, setRead] = useState<ReadonlyMap<string, string | null>>(new Map());
  const listed = list.flatMap(({ requestId, sql }) =>
    sql === undefined ? [] : ([[requestId, sql]] as const),
  );
  const missing = isNeeded
    ? list
        .slice(0, searchedMax)
        .filter(({ requestId, sql }) => sql === undefined && !read.has(requestId))
        .map(({ requestId }) => requestId)
    : [];
  const next = missing.slice(0, callsAtOnce).join(' ');
  useEffect(() => {
    let isCurrent = true;
    if (next === '') return undefined;
    void readQueries(details, next.split(' ')).then((found) => {
      if (isCurrent) setRead((before) => new Map([...before, ...found]));
    });
    return () => {
      isCurrent = false;
    };
  }, [details, next]);
  return new Map([...read, ...listed]);
}

async function readQueries(
  details: ResultDetailsReader,
  ids: readonly string[],
): Promise<readonly (readonly [string, string | null])[]> {
  return Promise.all(ids.map(async (id) => [id, (await details.read(id))?.sql ?? null] as const));
}

/** Returns the names of all owners, by their tags: one result of each is requested. */
function useOwners(list: readonly StoredResult[]): ReadonlyMap<string, string> {
  const { details } = useSession();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const firstOfTag = new Map(list.map(({ requestId }) => [ownerTag(requestId), requestId]));
  const missing = [...firstOfTag].filter(([tag]) => !names.has(tag)).slice(0, ownersMax);
  const key = missing.map(([tag]) => tag).join(' ');
  useEffect(() => {
    let isCurrent = true;
    const read = async (): Promise<void> => {
      const found = await Promise.all(
        missing.map(
          async ([tag, id]) => [tag, (await details.read(id))?.owner ?? 'not known'] as const,
        ),
      );
      if (isCurrent && found.length > 0) setNames((before) => new Map([...before, ...found]));
    };
    void read();
    return () => {
      isCurrent = false;
    };
    // The tags are the key.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [details, key]);
  return names;
}

/** The number of owners to choose from. */
const ownersMax = 50;

function rowsOf({ responseMetadata }: StoredResult): number {
  return responseMetadata[0]?.numRows ?? 0;
}

function bytesOf({ responseMetadata }: StoredResult): number {
  return responseMetadata[0]?.sizeBytes ?? 0;
}
