import { type RecordBatch, RecordBatchStreamWriter, type Schema, Table } from 'apache-arrow';
import { Message } from 'apache-arrow/ipc/metadata/message';
import { QuireError } from '@quire/core';
import type { OutgoingData } from '../flight-producer.ts';

/** The prefix of a message's metadata: a continuation marker, and the length of the metadata. */
const prefixBytes = 8;

/**
 * Splits an encapsulated IPC message into the parts that are sent; both are views of its bytes.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format
 */
export function dataOfMessage(message: Uint8Array): OutgoingData {
  const bodyStart = prefixBytes + metadataBytesOf(message);
  return {
    dataHeader: message.subarray(prefixBytes, bodyStart),
    dataBody: message.subarray(bodyStart),
  };
}

/** Joins received data into an encapsulated IPC message. */
export function messageOfData({ dataHeader, dataBody }: Required<OutgoingData>): Uint8Array {
  const paddedBytes = Math.ceil(dataHeader.length / 8) * 8;
  const message = new Uint8Array(prefixBytes + paddedBytes + dataBody.length);
  const view = new DataView(message.buffer);
  view.setUint32(0, 0xffff_ffff, true);
  view.setInt32(4, paddedBytes, true);
  message.set(dataHeader, prefixBytes);
  message.set(dataBody, prefixBytes + paddedBytes);
  return message;
}

/** Encodes a schema as an encapsulated IPC message. */
export function schemaMessageOf(schema: Schema): Uint8Array {
  const [message] = messagesOf(
    RecordBatchStreamWriter.writeAll(new Table(schema)).toUint8Array(true),
  );
  if (message === undefined) throw new QuireError('INTERNAL', 'A schema was not written.');
  return message;
}

/** Encodes a schema and rows as data to send. */
export function dataOfBatch(batch: RecordBatch): OutgoingData[] {
  const writer = RecordBatchStreamWriter.writeAll(new Table([batch]));
  return [...messagesOf(writer.toUint8Array(true))].map(dataOfMessage);
}

function* messagesOf(stream: Uint8Array): Generator<Uint8Array> {
  let start = 0;
  while (start + prefixBytes < stream.length) {
    const metadataBytes = metadataBytesOf(stream.subarray(start));
    if (metadataBytes === 0) return;
    const bodyStart = start + prefixBytes + metadataBytes;
    const { bodyLength } = Message.decode(stream.subarray(start + prefixBytes, bodyStart));
    const end = bodyStart + Number(bodyLength);
    yield stream.subarray(start, end);
    start = end;
  }
}

function metadataBytesOf(message: Uint8Array): number {
  return new DataView(message.buffer, message.byteOffset, message.byteLength).getInt32(4, true);
}
