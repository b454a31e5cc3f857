import { parse, stringify, v7 } from 'uuid';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

declare const requestIdBrand: unique symbol;

/** Identifies one query and its result: a UUID version 7 in lower case (RFC 9562 section 5.7). */
export type RequestId = string & { readonly [requestIdBrand]: true };

const requestIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/*
 * The position of the owner tag in the sixteen bytes of an id (results/FORMAT.md, "Owner tags").
 * The low six bits of byte 8, which are random in other ids, are a checksum of the other bytes. It
 * distinguishes ids without a tag; those of earlier releases with a probability of 63/64.
 */
const tagStart = 10;
const checkByte = 8;
const checkModulus = 61;

/**
 * Creates a new id; one of a later millisecond sorts later, those of one millisecond have no order.
 *
 * @param ownerTag an integer from 0 to 2^32 - 1, which `ownerTagOf` then returns; without it, the
 *   id has none
 */
export function createRequestId(clock: Clock, random: Random, ownerTag?: number): RequestId {
  const bytes = v7({ msecs: clock.nowMs(), random: random.bytes(16) }, new Uint8Array(16));
  if (ownerTag !== undefined) new DataView(bytes.buffer).setUint32(tagStart, ownerTag);
  const check = checkOf(bytes, 0);
  const bits = (bytes[checkByte] ?? 0) & 0x3f;
  const wrongBits = bits === check ? bits ^ 1 : bits;
  bytes[checkByte] = 0x80 | (ownerTag === undefined ? wrongBits : check);
  return stringify(bytes) as RequestId;
}

/**
 * Returns the owner tag of an id, by which the results of one owner are counted together; undefined
 * if it has none.
 */
export function ownerTagOf(requestId: RequestId): number | undefined {
  return ownerTagAt(parse(requestId), 0);
}

/** Returns the owner tag of an id whose sixteen bytes start at `start`, as `ownerTagOf` does. */
export function ownerTagAt(bytes: Uint8Array, start: number): number | undefined {
  if (((bytes[start + checkByte] ?? 0) & 0x3f) !== checkOf(bytes, start)) return undefined;
  let tag = 0;
  for (let byte = 0; byte < 4; byte += 1) tag = tag * 256 + (bytes[start + tagStart + byte] ?? 0);
  return tag;
}

/**
 * Returns the sum of each byte times its position, from 1, modulo 61, without the byte that holds
 * the checksum.
 */
function checkOf(bytes: Uint8Array, start: number): number {
  let sum = 0;
  for (let byte = 0; byte < 16; byte += 1) {
    if (byte !== checkByte) sum += (byte + 1) * (bytes[start + byte] ?? 0);
  }
  return sum % checkModulus;
}

/** Reports whether `text` is a request id; no other spelling of a UUID is accepted. */
export function isRequestId(text: string): text is RequestId {
  return requestIdPattern.test(text);
}

/** Returns the creation time of an id, in epoch milliseconds by the clock of its creator. */
export function timeOfRequestId(requestId: RequestId): number {
  return Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
}
