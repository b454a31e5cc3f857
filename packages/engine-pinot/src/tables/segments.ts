import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import type {
  Finding,
  Ingested,
  IngestRequest,
  SegmentDescription,
} from '@quire/core/table-engine';
import {
  type AdminCalls,
  encodeJson,
  isJsonObject,
  type Json,
  numberIn,
  objectIn,
  textIn,
} from './admin-calls.ts';
import { readConfig, typedName } from './table-configs.ts';

/** The rows of each segment that is still consuming, by its name: only a query knows them. */
export type CountConsuming = (tableNameWithType: string) => Promise<ReadonlyMap<string, number>>;

const unitMs: Readonly<Record<string, number>> = {
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
};

/** Returns ZooKeeper's metadata of each segment of a table, by its name. @throws TABLE_NOT_FOUND */
export async function readZkMetadata(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<ReadonlyMap<string, Json>> {
  await readConfig(calls, tableNameWithType, options);
  const path = `/segments/${encodeURIComponent(tableNameWithType)}/zkmetadata`;
  const answer = await calls.object(
    { method: 'GET', path, errors: { 404: 'TABLE_NOT_FOUND' } },
    options,
  );
  return new Map(
    Object.keys(answer)
      .toSorted()
      .map((name) => [name, objectIn(answer, name)]),
  );
}

/** Matches `table__partition__sequence__time`, the names of segments of a stream. */
export function streamSegmentOf(
  segmentName: string,
): { readonly partition: number; readonly sequence: number } | undefined {
  const [, partition, sequence] = /^.+__(\d+)__(\d+)__\d{8}T\d{4}Z$/.exec(segmentName) ?? [];
  return partition === undefined
    ? undefined
    : { partition: Number(partition), sequence: Number(sequence) };
}

export function isConsuming(metadata: Json): boolean {
  return textIn(metadata, 'segment.realtime.status') === 'IN_PROGRESS';
}

export async function listSegments(
  calls: AdminCalls,
  tableNameWithType: string,
  countConsuming: CountConsuming,
  options: CallOptions,
): Promise<readonly SegmentDescription[]> {
  const metadata = await readZkMetadata(calls, tableNameWithType, options);
  const servers = await readServers(calls, tableNameWithType, options);
  const hasConsuming = [...metadata.values()].some(isConsuming);
  const [heldBytes, counts] = await Promise.all([
    readHeldBytes(calls, tableNameWithType, options),
    hasConsuming ? orServerDown(countConsuming(tableNameWithType)) : new Map<string, number>(),
  ]);
  return [...metadata].map(([segmentName, each]) =>
    describeSegment(segmentName, each, {
      counts,
      heldBytes: heldBytes.get(segmentName),
      servers: servers.get(segmentName) ?? [],
    }),
  );
}

/** Returns the value, or the reason why it is unknown while a server is down. */
async function orServerDown(
  counting: Promise<ReadonlyMap<string, number>>,
): Promise<ReadonlyMap<string, number> | string> {
  try {
    return await counting;
  } catch (error) {
    if (!isQuireError(error, 'ENGINE_UNAVAILABLE', 'QUERY_TIMED_OUT', 'TABLE_NOT_FOUND')) {
      throw error;
    }
    return `The rows of consuming segments are not known: ${error.message}`;
  }
}

/** Returns the size of each segment on the servers, as the sum of all replicas that report one. */
async function readHeldBytes(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<ReadonlyMap<string, number>> {
  const { type } = typedName(tableNameWithType);
  using deadline = calls.serversDeadline(options);
  const answer = await calls.objectInTime(
    {
      method: 'GET',
      path: `/tables/${encodeURIComponent(tableNameWithType)}/size`,
      parameters: { verbose: 'true' },
      errors: { 404: 'TABLE_NOT_FOUND' },
    },
    deadline,
  );
  const segments = objectIn(objectIn(answer ?? {}, `${type.toLowerCase()}Segments`), 'segments');
  return new Map(
    Object.keys(segments).flatMap((name): [string, number][] => {
      const bytes = numberIn(objectIn(segments, name), 'reportedSizeInBytes');
      return bytes === null || bytes < 0 ? [] : [[name, bytes]];
    }),
  );
}

function describeSegment(
  segmentName: string,
  metadata: Json,
  {
    counts,
    heldBytes,
    servers,
  }: {
    readonly counts: ReadonlyMap<string, number> | string;
    readonly heldBytes: number | undefined;
    readonly servers: readonly string[];
  },
): SegmentDescription {
  const consumes = isConsuming(metadata);
  const stream = streamSegmentOf(segmentName);
  const timeOf = (name: string): number | null => {
    const value = numberIn(metadata, name);
    const unit = unitMs[textIn(metadata, 'segment.time.unit')];
    return value === null || value < 0 || unit === undefined ? null : value * unit;
  };
  const createdMs = numberIn(metadata, 'segment.creation.time') ?? 0;
  const storedBytes = Math.max(0, numberIn(metadata, 'segment.size.in.bytes') ?? 0);
  const notices = [
    ...(consumes && typeof counts === 'string' ? [counts] : []),
    ...(!consumes && heldBytes === undefined
      ? ['No server reports the size of the segment; this is that of its file in the deep store.']
      : []),
  ];
  const countedRows = typeof counts === 'string' ? 0 : (counts.get(segmentName) ?? 0);
  return {
    segmentName,
    state: consumes ? 'CONSUMING' : 'COMMITTED',
    rowCount: consumes ? countedRows : (numberIn(metadata, 'segment.total.docs') ?? 0),
    sizeBytes: heldBytes ?? storedBytes,
    ...(notices.length > 0 && { notice: notices.join(' ') }),
    minTimeMs: timeOf('segment.start.time'),
    maxTimeMs: timeOf('segment.end.time'),
    createdMs,
    committedMs: consumes ? null : (numberIn(metadata, 'segment.push.time') ?? createdMs),
    stream:
      stream === undefined
        ? null
        : {
            ...stream,
            startOffset: numberIn(metadata, 'segment.realtime.startOffset') ?? 0,
            endOffset: consumes ? null : numberIn(metadata, 'segment.realtime.endOffset'),
          },
    servers,
    checksum: textIn(metadata, 'segment.crc') || null,
    custom: Object.fromEntries(
      Object.entries(objectIn(metadata, 'custom.map')).map(([name, value]) => [
        name,
        String(value as string | number),
      ]),
    ),
  };
}

/** Returns the servers that must have each segment of a table, by its name. */
export async function readServers(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const path = `/segments/${encodeURIComponent(tableNameWithType)}/servers`;
  const answer = await calls.call(
    { method: 'GET', path, errors: { 404: 'TABLE_NOT_FOUND' } },
    options,
  );
  const servers = new Map<string, string[]>();
  for (const half of (Array.isArray(answer) ? answer : []).filter(isJsonObject)) {
    for (const [server, names] of Object.entries(objectIn(half, 'serverToSegmentsMap'))) {
      for (const name of Array.isArray(names) ? names.map(String) : []) {
        servers.set(name, [...(servers.get(name) ?? []), server]);
      }
    }
  }
  return servers;
}

/**
 * Deletes a segment after checking that it exists, because Apache Pinot reports success even if it
 * does not.
 */
export async function deleteSegment(
  calls: AdminCalls,
  tableNameWithType: string,
  segmentName: string,
  options: CallOptions,
): Promise<void> {
  const metadata = (await readZkMetadata(calls, tableNameWithType, options)).get(segmentName);
  if (metadata === undefined) {
    throw new QuireError(
      'SEGMENT_NOT_FOUND',
      `${tableNameWithType} has no segment '${segmentName}'.`,
    );
  }
  if (isConsuming(metadata)) {
    throw new QuireError(
      'CONFLICT',
      `Segment '${segmentName}' is still consuming: commit it first.`,
    );
  }
  const path = `/segments/${encodeURIComponent(tableNameWithType)}/${encodeURIComponent(segmentName)}`;
  await calls.call({ method: 'DELETE', path, errors: { 404: 'SEGMENT_NOT_FOUND' } }, options);
}

const boundary = 'quire-rows-of-a-segment';

/** A file of rows in a multipart body. */
async function* multipart(
  name: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const file = name.replaceAll(/["\r\n]/g, '_');
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file}"\r\n\r\n`,
  );
  yield* body;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

export async function ingest(
  calls: AdminCalls,
  request: IngestRequest,
  options: CallOptions,
): Promise<Ingested> {
  const { tableNameWithType, source, batchConfig } = request;
  await readConfig(calls, tableNameWithType, options);
  if (typedName(tableNameWithType).type === 'REALTIME') {
    throw new QuireError(
      'UNSUPPORTED',
      `${tableNameWithType} is filled from a stream: load files into an OFFLINE table.`,
    );
  }
  // Apache Pinot's JSON, too, has one object per line.
  const inputFormat = batchConfig['inputFormat'] === 'jsonl' ? 'json' : batchConfig['inputFormat'];
  const batchConfigMapStr = encodeJson({
    ...batchConfig,
    ...(inputFormat !== undefined && { inputFormat }),
  });
  const parameters = { tableNameWithType, batchConfigMapStr };
  const errors = {
    400: 'INGESTION_FAILED',
    404: 'TABLE_NOT_FOUND',
    500: 'INGESTION_FAILED',
  } as const;
  const answer = await calls.object(
    source.kind === 'uri'
      ? {
          method: 'POST',
          path: '/ingestFromURI',
          parameters: { ...parameters, sourceURIStr: source.uri },
          errors,
          timeoutMs: Infinity,
        }
      : {
          method: 'POST',
          path: '/ingestFromFile',
          parameters,
          // A call that cannot be sent ends its iteration before it reads the source.
          body: { [Symbol.asyncIterator]: () => multipart(source.name, source.body) },
          contentType: `multipart/form-data; boundary=${boundary}`,
          errors,
          timeoutMs: Infinity,
        },
    options,
  );
  const segmentName = /as segment: (\S+)/.exec(textIn(answer, 'status'))?.[1];
  if (segmentName === undefined) {
    throw new QuireError(
      'UNEXPECTED_RESPONSE',
      `Apache Pinot names no segment: ${textIn(answer, 'status')}`,
    );
  }
  const rowCount = await countLoaded(calls, tableNameWithType, segmentName, options);
  return {
    segmentNames: [segmentName],
    rowCount: rowCount ?? 0,
    findings: rowCount === null ? [uncounted] : [],
  };
}

const uncounted: Finding = {
  path: '',
  code: 'PINOT',
  message: 'The file is loaded, but the number of its rows is not known.',
  severity: 'warning',
};

/**
 * Returns the rows of a segment that has just been loaded; null if they are not known. It does not
 * fail, because a caller who meets an error loads the file again.
 */
async function countLoaded(
  calls: AdminCalls,
  tableNameWithType: string,
  segmentName: string,
  options: CallOptions,
): Promise<number | null> {
  try {
    const metadata = await readZkMetadata(calls, tableNameWithType, options);
    return numberIn(metadata.get(segmentName) ?? {}, 'segment.total.docs');
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return null;
  }
}
