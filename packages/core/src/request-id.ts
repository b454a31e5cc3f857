import { v7 } from 'uuid';
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

declare const requestIdBrand: unique symbol;

/** Identifies one query and its result: a UUID version 7 in lower case (RFC 9562 section 5.7). */
export type RequestId = string & { readonly [requestIdBrand]: true };

const requestIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Creates a new id; one of a later millisecond sorts later, those of one millisecond in no order. */
export function createRequestId(clock: Clock, random: Random): RequestId {
  return v7({ msecs: clock.nowMs(), random: random.bytes(16) }) as RequestId;
}

/** Tells whether `text` is a request id, exactly: no other spelling of a UUID is one. */
export function isRequestId(text: string): text is RequestId {
  return requestIdPattern.test(text);
}

/** When an id was created, in epoch milliseconds by the clock of its creator. */
export function timeOfRequestId(requestId: RequestId): number {
  return Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16);
}
