import { type JsonValue, parseLosslessJson, TooManyDigitsError } from '@quire/core';
import type { StreamMessage } from './message-stream.ts';

/**
 * A message as a row: values by the name of their field. Integers that a number cannot hold exactly
 * are bigints.
 */
export type DecodedRow = Readonly<Record<string, JsonValue>>;

/** A row, or why the message is not one, as a sentence without its subject: `is not JSON: …`. */
export type DecodedMessage = { readonly row: DecodedRow } | { readonly problem: string };

/** Limits of a message decoder. */
export interface DecodeOptions {
  /** Most digits of an integer. The default is 1,000. */
  readonly digitsMax?: number;
}

/** Makes rows of messages. A bad message is an answer, not an exception: streams have some. */
export type MessageDecoder = (message: StreamMessage, options?: DecodeOptions) => DecodedMessage;

/** Deeper values could not be walked through by whatever comes after. */
const nestingMax = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes messages that are JSON objects in UTF-8, without losing a digit of an integer. */
export const decodeJson: MessageDecoder = ({ value }, options) => {
  if (value === null) return { problem: 'has no value' };
  let decoded: JsonValue;
  try {
    decoded = parseLosslessJson(utf8.decode(value), options);
  } catch (error) {
    if (error instanceof TypeError) return { problem: 'is not text in UTF-8' };
    if (error instanceof TooManyDigitsError) {
      return { problem: `cannot be read: ${error.message.replace(/\.$/, '')}` };
    }
    // The stack of the runtime ends where values are nested deep.
    if (error instanceof RangeError) return { problem: `is nested more than ${nestingMax} deep` };
    if (error instanceof SyntaxError) return { problem: `is not JSON: ${error.message}` };
    throw error;
  }
  if (!isRow(decoded)) return { problem: `is not a JSON object, but ${kindOf(decoded)}` };
  // A level takes two characters at least: short messages, which are most, have no room for so
  // many.
  const isTooDeep = value.byteLength > 2 * nestingMax && isDeeperThan(decoded, nestingMax);
  return isTooDeep ? { problem: `is nested more than ${nestingMax} deep` } : { row: decoded };
};

function isRow(value: JsonValue): value is DecodedRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string'
    ? 'a text'
    : typeof value === 'boolean'
      ? 'a boolean'
      : 'a number';
}

function isDeeperThan(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    depth === 0 || Object.values(value).some((member: JsonValue) => isDeeperThan(member, depth - 1))
  );
}
