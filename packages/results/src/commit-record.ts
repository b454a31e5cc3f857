import { crc32 } from 'node:zlib';
import type { Schema } from 'apache-arrow';
import { isRequestId, QuireError, type QueryStatistics, type RequestId } from '@quire/core';
import { encodeSchemaMessage } from './arrow/encode-message.ts';
import type { BatchSpans } from './batch-spans.ts';
import type { ResultEntry } from './result-entry.ts';
import { readSchemaMessage } from './schema-bytes.ts';

/** The record that makes a result exist: everything about it except its rows. */
export interface CommitRecord {
  readonly requestId: RequestId;
  readonly brokerId: string;
  /** Name of the principal that ran the query. */
  readonly owner: string;
  /**
   * The text of the query, shortened to `sqlLengthMax`. Undefined in results of programs that did
   * not provide it, and of releases that did not store it.
   */
  readonly sql?: string | undefined;
  readonly submissionTimeMs: number;
  readonly expirationTimeMs: number;
  readonly rowCount: number;
  /** The size of the data file in bytes. */
  readonly dataSizeBytes: number;
  readonly schema: Schema;
  readonly spans: BatchSpans;
  readonly statistics: QueryStatistics;
}

/** A commit record and the entry that names it. */
export interface OpenRecord {
  readonly entry: ResultEntry;
  readonly record: CommitRecord;
  /** The time at which the store was last known to have it, on the monotonic clock. */
  readonly seenMs: number;
}

/** The version of records whose batches have equal row counts: older releases read it. */
const equalBatchesVersion = 1;
/** The version of records with `rowEnds`, which older releases would ignore. */
const formatVersion = 2;

/**
 * Encodes a commit record as JSON: `{"formatVersion", "checksum", "record"}`. `checksum` is the
 * CRC-32 of `record`'s text, and the schema is a base64 Arrow schema message.
 */
export function encodeCommitRecord(record: CommitRecord): Uint8Array {
  const schema = Buffer.from(encodeSchemaMessage(record.schema).bytes).toString('base64');
  const text = JSON.stringify({ ...record, schema });
  const version = record.spans.rowEnds === undefined ? equalBatchesVersion : formatVersion;
  return Buffer.from(`{"formatVersion":${version},"checksum":${crc32(text)},"record":${text}}\n`);
}

/**
 * Decodes a commit record.
 *
 * @throws RESULT_CORRUPT when the bytes are not from `encodeCommitRecord`
 * @throws RESULT_FORMAT_UNKNOWN when they were written by a newer version of Quire
 */
export function decodeCommitRecord(key: string, bytes: Uint8Array): CommitRecord {
  const envelope = parseEnvelope(key, bytes);
  if (envelope.formatVersion !== equalBatchesVersion && envelope.formatVersion !== formatVersion) {
    throw unknownFormat(key, envelope.formatVersion);
  }
  if (envelope.record === undefined) throw corrupt(key, 'contains no record');
  if (crc32(recordBytes(bytes)) !== envelope.checksum) {
    throw corrupt(key, 'does not match its checksum');
  }
  // The checksum proves that Quire wrote it, so its shape is trusted; only the schema and the id
  // need parsing.
  const record = envelope.record as Omit<CommitRecord, 'schema'> & { readonly schema: string };
  if (!isRequestId(record.requestId)) throw corrupt(key, 'has no valid request id');
  return { ...record, schema: decodeSchema(key, record.schema) };
}

/** Returns the bytes of the member `record`, which is the last one. */
function recordBytes(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = bytes;
  const head = Buffer.from(buffer, byteOffset, Math.min(byteLength, 64)).toString('latin1');
  const start = /^\{"formatVersion":\d+,"checksum":\d+,"record":/.exec(head)?.[0].length ?? 0;
  return bytes.subarray(start, bytes.lastIndexOf(closingBrace));
}

const closingBrace = '}'.charCodeAt(0);

function parseEnvelope(
  key: string,
  bytes: Uint8Array,
): { formatVersion?: unknown; checksum?: unknown; record?: unknown } {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
    );
    // Only the version of a record from a newer Quire can be read.
    if (typeof value === 'object' && value !== null && 'formatVersion' in value) return value;
  } catch (error) {
    throw corrupt(key, 'is not JSON', error);
  }
  throw corrupt(key, 'is not a commit record');
}

function decodeSchema(key: string, base64: string): Schema {
  const schema = readSchemaMessage(Buffer.from(base64, 'base64'));
  if (schema === undefined) throw corrupt(key, 'contains no schema');
  return schema;
}

function unknownFormat(key: string, version: unknown): QuireError {
  if (!Number.isInteger(version)) {
    return corrupt(key, `has format version ${JSON.stringify(version)}; expected an integer`);
  }
  return new QuireError(
    'RESULT_FORMAT_UNKNOWN',
    `The commit record ${key} has format version ${String(version)}, but this version of Quire reads versions up to ${formatVersion}; use a newer one.`,
  );
}

function corrupt(key: string, what: string, cause?: unknown): QuireError {
  return new QuireError('RESULT_CORRUPT', `The commit record ${key} ${what}.`, { cause });
}
