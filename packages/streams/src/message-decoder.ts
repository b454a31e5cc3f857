import { type JsonValue, parseLosslessJson, TooManyDigitsError } from '@quire/core';
import type { StreamMessage } from './message-stream.ts';

/**
 * A message as a row: values by field name. Integers that a number cannot hold exactly are bigints.
 */
export type DecodedRow = Readonly<Record<string, JsonValue>>;

/**
 * A row, or the reason why the message is not one, as a sentence without its subject: `is not JSON:
 * …`.
 */
export type DecodedMessage = { readonly row: DecodedRow } | { readonly problem: string };

/** Limits of a message decoder. */
export interface DecodeOptions {
  /** The maximum number of digits of an integer. The default is 1,000. */
  readonly digitsMax?: number;
}

/**
 * Converts messages to rows. A bad message is a value, not an exception, because streams often
 * contain some.
 */
export type MessageDecoder = (message: StreamMessage, options?: DecodeOptions) => DecodedMessage;

/** The maximum depth; deeper values could not be traversed by later steps. */
const nestingMax = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes messages that are JSON objects in UTF-8, without losing digits of integers. */
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
    // The runtime's stack overflows if values are nested deeply.
    if (error instanceof RangeError) {
      return { problem: `is nested more than ${nestingMax} levels deep` };
    }
    if (error instanceof SyntaxError) return { problem: `is not JSON: ${error.message}` };
    throw error;
  }
  if (!isRow(decoded)) return { problem: `is not a JSON object, but ${kindOf(decoded)}` };
  // Each level takes at least two characters, so most messages are too short to be nested too
  // deeply.
  const isTooDeep = value.byteLength > 2 * nestingMax && isDeeperThan(decoded, nestingMax);
  return isTooDeep
    ? { problem: `is nested more than ${nestingMax} levels deep` }
    : { row: decoded };
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
