import {
  createAPI,
  fetchV12,
  type Reader,
  readKnownTaggedFields,
  ResponseError,
} from '@platformatic/kafka';
import type { AbortedTransaction } from './select-messages.ts';

/** The answer of a fetch for one partition. */
export interface FetchedBytes {
  readonly highWatermark: bigint;
  readonly lastStableOffset: bigint;
  readonly abortedTransactions: readonly AbortedTransaction[];
  /** The batches of records, as they are stored. The last one may be incomplete. */
  readonly records: Buffer;
}

/**
 * The request Fetch of one partition, like that of the client (`fetchV12`), but the answer has the
 * records as bytes: the client parses all of them into objects, including those beyond the limits.
 */
export const fetchBytes = createAPI<Parameters<typeof fetchV12.createRequest>, FetchedBytes>(
  fetchV12.api.key,
  fetchV12.api.version,
  fetchV12.createRequest,
  parseResponse,
);

/**
 * Parses the answer for one partition
 * (https://kafka.apache.org/protocol#The_Messages_Fetch, version 12).
 *
 * @throws ResponseError when the broker answered with an error
 */
function parseResponse(
  _correlationId: number,
  apiKey: number,
  apiVersion: number,
  reader: Reader,
): FetchedBytes {
  reader.readInt32(); // throttle time
  const errorCode = reader.readInt16();
  reader.readInt32(); // session
  const topics = reader.readArray((ofTopic) => {
    ofTopic.readString(); // name
    return ofTopic.readArray(readPartition, true, false) ?? [];
  });
  const [partition] = topics?.flat() ?? [];
  const failedCode = errorCode === 0 ? (partition?.errorCode ?? 0) : errorCode;
  if (failedCode !== 0) {
    throw new ResponseError(apiKey, apiVersion, { '/': [failedCode, null] }, partition);
  }
  return (
    partition ?? {
      highWatermark: -1n,
      lastStableOffset: -1n,
      abortedTransactions: [],
      records: Buffer.alloc(0),
    }
  );
}

function readPartition(reader: Reader): FetchedBytes & { readonly errorCode: number } {
  reader.readInt32(); // index
  const errorCode = reader.readInt16();
  const highWatermark = reader.readInt64();
  const lastStableOffset = reader.readInt64();
  reader.readInt64(); // start of the log
  const abortedTransactions = reader.readNullableArray((each) => {
    return { producerId: each.readInt64(), firstOffset: each.readInt64() };
  });
  reader.readInt32(); // preferred replica
  // Compact lengths are one more than the length; 0 is null.
  const length = Math.max(0, reader.readUnsignedVarInt() - 1);
  const records = reader.buffer.slice(reader.position, reader.position + length);
  reader.skip(length);
  readKnownTaggedFields(reader, {});
  return {
    errorCode,
    highWatermark,
    lastStableOffset,
    abortedTransactions: abortedTransactions ?? [],
    records,
  };
}
