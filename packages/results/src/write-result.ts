import {
  abortError,
  type CallOptions,
  type Clock,
  type ObjectStore,
  type RequestId,
  throwIfAborted,
} from '@quire/core';
import { traced, tracedItems } from '@quire/core/trace';
import type { ArrowColumn } from './arrow/arrow-input.ts';
import type { Compression } from './arrow/buffer-codec.ts';
import { BatchChecker } from './arrow/check-batch.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { storedSchemaOf } from './arrow/stored-schema.ts';
import type { BatchCache } from './batch-cache.ts';
import type { BufferPool } from './buffer-pool.ts';
import { encodeCommitRecord } from './commit-record.ts';
import type { ProgressTarget } from './progress-event.ts';
import { ProgressWriter, type WrittenBatch } from './growing/progress-writer.ts';
import { dataKeyOf, recordKeyOf } from './layout.ts';
import type { OpenRecord } from './commit-record.ts';
import { removeFailedWrite } from './remove-result.ts';
import type { SpaceReservation } from './result-admission.ts';
import type { ResultSource } from './result-source.ts';
import { encodeResultFile, type ResultFileSummary } from './write-result-file.ts';

/** The part of a store that a writer needs. */
export type ResultSink = Pick<ObjectStore, 'put' | 'delete'>;

export interface WriteOptions extends CallOptions {
  readonly store: ResultSink;
  /** Caches the first batches for the first page. */
  readonly cache: Pick<BatchCache, 'isFor' | 'set'>;
  readonly pool: BufferPool;
  readonly clock: Clock;
  readonly brokerId: string;
  readonly requestId: RequestId;
  readonly owner: string;
  readonly sql: string | undefined;
  readonly expirationMs: number;
  readonly compression: Compression;
  readonly sizeBytesMax: number;
  readonly batchSizeBytes: number | undefined;
  readonly reserve: () => SpaceReservation;
  /** Makes the rows readable before the result exists. */
  readonly growth?: ProgressTarget | undefined;
}

const unknownStatistics = {
  elapsedMs: 0,
  cpuTimeNs: null,
  rowsScanned: null,
  rowsTotal: null,
  tables: [],
};

/** The written result and its commit record. */
interface Written extends OpenRecord {
  readonly recordBytes: Uint8Array;
}

/** Writes data, then the commit record; deletes both on failure. */
export async function writeResult(source: ResultSource, options: WriteOptions): Promise<Written> {
  const { store, brokerId, requestId, owner, sql, signal } = options;
  const schema = storedSchemaOf(source.schema);
  const dataKey = dataKeyOf(brokerId, requestId);
  let recordKey: string | undefined;
  const reservation = options.reserve();
  await using growth =
    options.growth === undefined ? undefined : new ProgressWriter(options.growth);
  const file = new ResultFile(source, options, { schema, dataKey, reservation, growth });
  try {
    await traced('query.write', () => store.put(dataKey, file.bytes(), { signal }));
    const { spans, rowCount, sizeBytes } = file.summary();
    const submissionTimeMs = options.clock.nowMs();
    const name = {
      submissionTimeMs,
      expirationTimeMs: submissionTimeMs + options.expirationMs,
      rowCount,
    };
    const statistics = source.statistics?.() ?? unknownStatistics;
    const record = {
      requestId,
      brokerId,
      owner,
      ...(sql !== undefined && { sql }),
      ...name,
      dataSizeBytes: sizeBytes,
      schema,
      spans,
      statistics,
    };
    const bytes = encodeCommitRecord(record);
    throwIfAborted(signal);
    await reservation.extend(bytes.byteLength, { signal });
    recordKey = recordKeyOf(brokerId, requestId, name);
    const seenMs = options.clock.monotonicMs();
    const key = recordKey;
    await traced('query.commit', () => store.put(key, bytes, { signal }));
    const entry = {
      requestId,
      brokerId,
      ...name,
      sizeBytes: sizeBytes + bytes.byteLength,
      dataKey,
      recordKey,
    };
    reservation.commit();
    return { entry, record, seenMs, recordBytes: bytes };
  } catch (error) {
    const reason = file.sourceError ?? error;
    // Without the signal, which may be the reason for the failure; a put that rejected may have
    // stored its object.
    const keys = recordKey === undefined ? [dataKey] : [recordKey, dataKey];
    let isFreed = false;
    try {
      isFreed = await removeFailedWrite(store, keys);
    } finally {
      reservation.release(isFreed, reason);
    }
    if (signal?.aborted === true) throw abortError(signal);
    throw reason;
  }
}

interface FileParts {
  readonly schema: ReturnType<typeof storedSchemaOf>;
  readonly dataKey: string;
  readonly reservation: SpaceReservation;
  readonly growth: ProgressWriter | undefined;
}

/**
 * The data file as a stream of bytes. When the stream has ended, it has the description of the
 * content or, if the source failed, the error.
 */
class ResultFile {
  sourceError: unknown;
  #summary: ResultFileSummary | undefined;
  readonly #source: ResultSource;
  readonly #options: WriteOptions;
  readonly #parts: FileParts;

  constructor(source: ResultSource, options: WriteOptions, parts: FileParts) {
    this.#source = source;
    this.#options = options;
    this.#parts = parts;
  }

  summary(): ResultFileSummary {
    if (this.#summary === undefined) {
      throw new TypeError('A store resolved a put without reading its source to the end.');
    }
    return this.#summary;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const { cache, pool, compression, sizeBytesMax, batchSizeBytes, signal } = this.#options;
    const { schema, dataKey, reservation, growth } = this.#parts;
    let cachedBytes = 0;
    let batchesBytes = 0;
    const show = async (batch: WrittenBatch): Promise<void> => {
      await reservation.extend(batch.message.byteLength, { signal });
      await growth?.add(batch);
    };
    this.#summary = yield* encodeResultFile(schema, this.#batches(), {
      compression,
      pool,
      sizeBytesMax,
      batchSizeBytes,
      onBegin: (firstOffset) => growth?.begin(schema, firstOffset),
      onBatch: (batch) => {
        const { index, message } = batch;
        batchesBytes += message.byteLength;
        cachedBytes += message.byteLength;
        if (cache.isFor(cachedBytes)) cache.set(dataKey, index, message);
        return growth === undefined
          ? reservation.extend(message.byteLength, { signal })
          : show(batch);
      },
    });
    await reservation.extend(this.#summary.sizeBytes - batchesBytes, { signal });
  }

  /**
   * Yields the source's batches, checked against the schema. A failure of the source is recorded,
   * because a store may wrap its errors.
   */
  async *#batches(): AsyncGenerator<ColumnBatch<ArrowColumn>> {
    const checker = new BatchChecker(this.#parts.schema);
    try {
      for await (const batch of tracedItems('query.execute', this.#source.batches)) {
        throwIfAborted(this.#options.signal);
        yield checker.check(batch);
      }
    } catch (error) {
      this.sourceError = error;
      throw error;
    }
  }
}
