import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Clock, systemRandom } from '@quire/core';
import type { Principal } from './principal.ts';
import { TokenBuckets } from './token-buckets.ts';

/** The limits for one caller of a service; Infinity means no limit. */
export interface CallLimitSettings {
  /** Calls of one principal in a second, and the size of a burst. */
  readonly callsPerSecondMax: number;
  /**
   * Concurrent calls of one principal, including work that continues after its call was answered.
   */
  readonly callsRunningMax: number;
  /** Wrong credentials from one address in a minute, and the size of a burst. */
  readonly failuresPerMinuteMax: number;
}

/** An admitted call, or the delay and the limit of a refused one. */
export type Admission =
  | ({ readonly isAdmitted: true } & AdmittedCall)
  | ({ readonly isAdmitted: false } & CallRefusal);

/** The reason why a call is refused, and the time to retry it. */
export interface CallRefusal {
  readonly retryAfterMs: number;
  /** The limit that the principal has reached, as a phrase after its name. */
  readonly problem: string;
}

/** An admitted call. It counts until it is released and all of its work has ended. */
export interface AdmittedCall {
  /**
   * Checks whether the call may start work that counts separately: a query, a preview. Calls that
   * only read, watch or cancel are not checked, so a principal at its limit can still manage its
   * work.
   */
  readonly refuseWork: () => CallRefusal | undefined;
  /**
   * Counts work for the principal until it has ended, even after its call. The work must not
   * reject.
   */
  readonly follow: (work: Promise<unknown>) => void;
  /** Reports that the call has ended. */
  readonly release: () => void;
}

/** The calls and the work of a principal in progress. */
interface UnderWay {
  readonly calls: number;
  /** The number of calls that have ended but whose work has not. */
  readonly left: number;
}

/**
 * The maximum number of remembered principals and addresses; the least recently seen are forgotten.
 */
const keysMax = 10_000;
const provenMax = 4096;

/**
 * Limits the calls of each principal, and the attempts of each address to guess credentials.
 *
 * A proxy makes the calls of many callers from one address. A credential that was accepted recently
 * is therefore checked in any case, so that one caller cannot lock out the others.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #settings: () => CallLimitSettings;
  readonly #calls: TokenBuckets;
  readonly #failures: TokenBuckets;
  readonly #inProgress = new Map<string, UnderWay>();
  readonly #macKey = Buffer.from(systemRandom.bytes(32)).toString('base64');
  /** Accepted credentials, by a keyed hash of the header, in order of arrival. */
  readonly #proven = new Set<string>();

  /** Creates limits. `settings` is called for every call, so that limits are live. */
  constructor(settings: () => CallLimitSettings, clock: Clock) {
    this.#clock = clock;
    this.#settings = settings;
    this.#calls = new TokenBuckets(keysMax);
    this.#failures = new TokenBuckets(keysMax);
  }

  /**
   * Returns the time for which credentials from this address are not checked; 0 if they may be
   * checked now. A disconnected client has no address: all of those count as one.
   */
  retryAfterFailuresMs(address: string | undefined, header: string | undefined): number {
    const { failuresPerMinuteMax } = this.#settings();
    if (header === undefined || failuresPerMinuteMax === Infinity) return 0;
    const waitMs = this.#failures.waitMs(
      networkOf(address),
      perMinute(failuresPerMinuteMax),
      this.#clock.monotonicMs(),
    );
    return waitMs === 0 || this.#proven.has(this.#macOf(header)) ? 0 : waitMs;
  }

  /**
   * Records wrong credentials. Missing ones are not an attempt: browsers send no credentials first
   * to receive the challenge.
   */
  countFailure(address: string | undefined, header: string | undefined): void {
    const { failuresPerMinuteMax } = this.#settings();
    if (header === undefined) return;
    this.#proven.delete(this.#macOf(header));
    if (failuresPerMinuteMax === Infinity) return;
    this.#failures.take(
      networkOf(address),
      perMinute(failuresPerMinuteMax),
      this.#clock.monotonicMs(),
    );
  }

  /** Records correct credentials. */
  countSuccess(header: string | undefined): void {
    if (header === undefined || this.#settings().failuresPerMinuteMax === Infinity) return;
    const mac = this.#macOf(header);
    if (this.#proven.has(mac)) return;
    this.#proven.add(mac);
    const [oldest] = this.#proven.size > provenMax ? this.#proven : [];
    if (oldest !== undefined) this.#proven.delete(oldest);
  }

  /**
   * Admits a call of a principal, or returns the time to retry it. An admitted call must be
   * released when it has ended.
   */
  admit({ name }: Principal): Admission {
    const { callsPerSecondMax, callsRunningMax } = this.#settings();
    const inProgress = this.#inProgressOf(name);
    if (inProgress.calls >= callsRunningMax) {
      return { isAdmitted: false, ...tooManyAtOnce(inProgress, callsRunningMax) };
    }
    if (callsPerSecondMax !== Infinity) {
      const rate = { capacity: Math.max(1, callsPerSecondMax), perMs: callsPerSecondMax / 1000 };
      const waitMs = this.#calls.take(name, rate, this.#clock.monotonicMs());
      const problem = `has exceeded its calls per second (engine.auth.limit.requestsPerSecond = ${callsPerSecondMax})`;
      if (waitMs > 0) return { isAdmitted: false, retryAfterMs: waitMs, problem };
    }
    this.#change(name, { calls: 1 });
    return { isAdmitted: true, ...this.#admittedCall(name) };
  }

  #admittedCall(name: string): AdmittedCall {
    let workCount = 0;
    let isReleased = false;
    return {
      refuseWork: () => {
        const { callsRunningMax } = this.#settings();
        const { calls, left } = this.#inProgressOf(name);
        return calls + left > callsRunningMax
          ? tooManyAtOnce({ calls, left }, callsRunningMax)
          : undefined;
      },
      follow: (work) => {
        workCount += 1;
        if (isReleased && workCount === 1) this.#change(name, { left: 1 });
        void work.finally(() => {
          workCount -= 1;
          if (isReleased && workCount === 0) this.#change(name, { left: -1 });
        });
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#change(name, { calls: -1, left: workCount > 0 ? 1 : 0 });
      },
    };
  }

  #inProgressOf(name: string): UnderWay {
    return this.#inProgress.get(name) ?? { calls: 0, left: 0 };
  }

  #change(name: string, { calls = 0, left = 0 }: Partial<UnderWay>): void {
    const before = this.#inProgressOf(name);
    const after = { calls: before.calls + calls, left: before.left + left };
    if (after.calls + after.left > 0) this.#inProgress.set(name, after);
    else this.#inProgress.delete(name);
  }

  #macOf(header: string): string {
    return hash('sha256', `${this.#macKey} ${header}`, 'base64');
  }
}

function tooManyAtOnce({ calls, left }: UnderWay, max: number): CallRefusal {
  const number = (count: number, what: string): string =>
    `${count} ${what}${count === 1 ? '' : 's'}`;
  const work =
    left === 0
      ? ''
      : `, and ${number(left, 'earlier call')} whose queries or other work are still running`;
  return {
    retryAfterMs: 1000,
    problem: `has ${number(calls, 'call')} in progress${work} (engine.auth.limit.concurrency = ${max})`,
  };
}

function perMinute(count: number): { readonly capacity: number; readonly perMs: number } {
  return { capacity: count, perMs: count / 60_000 };
}

/**
 * Returns the network of an address. The owner of one IPv6 address has the 2^64 of its network, so
 * they count as one.
 */
function networkOf(address = 'gone'): string {
  const unmapped = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(unmapped)) return unmapped;
  const [head = '', tail] = unmapped.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
