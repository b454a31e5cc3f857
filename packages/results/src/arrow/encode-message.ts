import { MessageHeader, MetadataVersion, type Schema } from 'apache-arrow';
import {
  BodyCompression,
  BufferRegion,
  Message,
  RecordBatch as BatchMetadata,
} from 'apache-arrow/ipc/metadata/message';
import { assembleColumn, type BatchParts, type BufferPieces } from './assemble-column.ts';
import { compressBuffer, type Compression, compressionTypes } from './buffer-codec.ts';
import type { Lender } from '../buffer-pool.ts';
import type { BatchSlice } from './column-slice.ts';
import { encodableSchemaOf } from './stored-schema.ts';

/**
 * One encapsulated IPC message; `metadataBytes` counts prefix and padding, the rest is the body.
 */
export interface EncodedMessage {
  readonly bytes: Uint8Array;
  readonly metadataBytes: number;
}

const continuation = 0xffffffff;
const prefixBytes = 8;
/** Ends a stream of messages: a continuation marker and a length of zero. */
export const endOfStream = new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]);

/** Encodes the message that opens a stream. */
export function encodeSchemaMessage(schema: Schema): EncodedMessage {
  return frameMessage(Message.encode(Message.from(encodableSchemaOf(schema), 0)), []);
}

/**
 * Encodes rows, which may be from several batches, as one record batch message of `schema` (from
 * `storedSchemaOf`). With a pool, the message is in memory lent by the pool. Source:
 * https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format
 */
export function encodeBatchMessage(
  schema: Schema,
  slices: readonly BatchSlice[],
  compression: Compression,
  pool?: Lender,
): EncodedMessage {
  const parts: BatchParts = { nodes: [], buffers: [] };
  for (const [index, field] of schema.fields.entries()) {
    const columns = slices.map(({ batch, start, end }) => ({
      data: batch.columns[index],
      start,
      end,
    }));
    assembleColumn(field, columns, parts);
  }
  const rowCount = slices.reduce((sum, { start, end }) => sum + end - start, 0);
  if (compression === 'none') return frameBatch(rowCount, parts, compression, pool);
  const buffers = parts.buffers.map((pieces) => [compressBuffer(joined(pieces), compression)]);
  return frameBatch(rowCount, { nodes: parts.nodes, buffers }, compression, pool);
}

/**
 * Assembles a record batch message from its nodes and buffers, which are already compressed. With a
 * pool, the message is in memory lent by the pool.
 */
export function frameBatch(
  rowCount: number,
  { nodes, buffers }: BatchParts,
  compression: Compression,
  pool?: Lender,
): EncodedMessage {
  const regions: BufferRegion[] = [];
  let bodyBytes = 0;
  for (const pieces of buffers) {
    const sizeBytes = sizeOf(pieces);
    regions.push(new BufferRegion(bodyBytes, sizeBytes));
    bodyBytes += padded(sizeBytes);
  }
  const codec = compression === 'none' ? null : new BodyCompression(compressionTypes[compression]);
  const header = new BatchMetadata(rowCount, nodes, regions, codec);
  return frameMessage(
    Message.encode(new Message(bodyBytes, MetadataVersion.V5, MessageHeader.RecordBatch, header)),
    buffers,
    pool,
  );
}

function frameMessage(
  metadata: Uint8Array,
  buffers: readonly BufferPieces[],
  pool?: Lender,
): EncodedMessage {
  const metadataBytes = padded(prefixBytes + metadata.byteLength);
  const bodyBytes = buffers.reduce((sum, pieces) => sum + padded(sizeOf(pieces)), 0);
  const sizeBytes = metadataBytes + bodyBytes;
  const bytes = pool?.lease(sizeBytes) ?? new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(0, continuation, true);
  view.setInt32(4, metadataBytes - prefixBytes, true);
  bytes.set(metadata, prefixBytes);
  bytes.fill(0, prefixBytes + metadata.byteLength, metadataBytes);
  let position = metadataBytes;
  for (const pieces of buffers) {
    const start = position;
    for (const piece of pieces) {
      bytes.set(piece, position);
      position += piece.byteLength;
    }
    const end = start + padded(position - start);
    bytes.fill(0, position, end);
    position = end;
  }
  return { bytes, metadataBytes };
}

function sizeOf(pieces: BufferPieces): number {
  let sizeBytes = 0;
  for (const { byteLength } of pieces) sizeBytes += byteLength;
  return sizeBytes;
}

function joined(pieces: BufferPieces): Uint8Array {
  const [first = new Uint8Array(0), ...others] = pieces;
  if (others.length === 0) return first;
  const bytes = new Uint8Array(sizeOf(pieces));
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.byteLength;
  }
  return bytes;
}

/**
 * Rounds up to a multiple of 8, the alignment that the format requires for messages and buffers.
 */
function padded(byteLength: number): number {
  return Math.ceil(byteLength / 8) * 8;
}
