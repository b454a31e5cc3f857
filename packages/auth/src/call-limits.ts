import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type Clock, systemRandom } from '@quire/core';
import type { Principal } from './principal.ts';
import { TokenBuckets } from './token-buckets.ts';

/** How much one caller may ask of a service; Infinity means no limit. */
export interface CallLimitSettings {
  /** Calls of one principal a second; as many may come at once. */
  readonly callsPerSecondMax: number;
  /**
   * Calls of one principal at the same time, with the work that goes on after calls that have been
   * answered.
   */
  readonly callsRunningMax: number;
  /** Wrong credentials from one address a minute; as many may come at once. */
  readonly failuresPerMinuteMax: number;
}

/** A call that is let in, or for how long it is refused, and by which limit. */
export type Admission =
  | ({ readonly isAdmitted: true } & AdmittedCall)
  | ({ readonly isAdmitted: false } & CallRefusal);

/** The reason for which a call is refused, and when to try again. */
export interface CallRefusal {
  readonly retryAfterMs: number;
  /** What the principal has reached, to follow its name. */
  readonly problem: string;
}

/**
 * A call that was let in. It counts until it is released and all work that was started for it has
 * ended.
 */
export interface AdmittedCall {
  /**
   * Says whether the call may start work that counts by itself: a query, a preview. Calls that only
   * read, watch or cancel do not ask, so a principal can always see to the work that fills its
   * limit.
   */
  readonly refuseWork: () => CallRefusal | undefined;
  /**
   * Counts the principal until the work has ended, whether or not the call has. The work must not
   * reject.
   */
  readonly follow: (work: Promise<unknown>) => void;
  /** Notes that the call has ended. */
  readonly release: () => void;
}

/** The calls and the work that a principal has in progress. */
interface UnderWay {
  readonly calls: number;
  /** Calls that have ended, and whose work has not. */
  readonly left: number;
}

/**
 * Principals and addresses that are remembered; beyond that, those that were not seen for the
 * longest time are forgotten.
 */
const keysMax = 10_000;
const provenMax = 4096;

/**
 * Keeps any one principal from taking a service for itself, and any one address from trying
 * credentials until one fits.
 *
 * A proxy makes the calls of many from one address: a credential that was accepted recently is
 * looked at whatever its neighbours have tried, so that nobody can lock the others out.
 */
export class CallLimits {
  readonly #clock: Clock;
  readonly #settings: () => CallLimitSettings;
  readonly #calls: TokenBuckets;
  readonly #failures: TokenBuckets;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #macKey = Buffer.from(systemRandom.bytes(32)).toString('base64');
  /**
   * Credentials that were accepted, by a keyed hash of the header, in the order in which they came.
   */
  readonly #proven = new Set<string>();

  /** `settings` is asked at every call, so that limits are live. */
  constructor(settings: () => CallLimitSettings, clock: Clock) {
    this.#clock = clock;
    this.#settings = settings;
    this.#calls = new TokenBuckets(keysMax);
    this.#failures = new TokenBuckets(keysMax);
  }

  /**
   * For how long no credentials of this address are looked at; 0 when they may be tried now. A
   * client that has gone has no address any more: all of those count as one.
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
   * Notes that credentials were wrong. Having none is not an attempt: browsers ask that way what is
   * wanted.
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

  /** Notes that credentials were right. */
  countSuccess(header: string | undefined): void {
    if (header === undefined || this.#settings().failuresPerMinuteMax === Infinity) return;
    const mac = this.#macOf(header);
    if (this.#proven.has(mac)) return;
    this.#proven.add(mac);
    const [oldest] = this.#proven.size > provenMax ? this.#proven : [];
    if (oldest !== undefined) this.#proven.delete(oldest);
  }

  /**
   * Lets a call of a principal in, or says when to try again. A call that was let in must be
   * released when it has ended.
   */
  admit({ name }: Principal): Admission {
    const { callsPerSecondMax, callsRunningMax } = this.#settings();
    const underWay = this.#underWayOf(name);
    if (underWay.calls >= callsRunningMax) {
      return { isAdmitted: false, ...tooManyAtOnce(underWay, callsRunningMax) };
    }
    if (callsPerSecondMax !== Infinity) {
      const rate = { capacity: Math.max(1, callsPerSecondMax), perMs: callsPerSecondMax / 1000 };
      const waitMs = this.#calls.take(name, rate, this.#clock.monotonicMs());
      const problem = `has used up its calls a second (engine.auth.limit.requestsPerSecond = ${callsPerSecondMax})`;
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
        const { calls, left } = this.#underWayOf(name);
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

  #underWayOf(name: string): UnderWay {
    return this.#underWay.get(name) ?? { calls: 0, left: 0 };
  }

  #change(name: string, { calls = 0, left = 0 }: Partial<UnderWay>): void {
    const before = this.#underWayOf(name);
    const after = { calls: before.calls + calls, left: before.left + left };
    if (after.calls + after.left > 0) this.#underWay.set(name, after);
    else this.#underWay.delete(name);
  }

  #macOf(header: string): string {
    return hash('sha256', `${this.#macKey} ${header}`, 'base64');
  }
}

function tooManyAtOnce({ calls, left }: UnderWay, max: number): CallRefusal {
  const number = (count: number, what: string): string =>
    `${count} ${what}${count === 1 ? '' : 's'}`;
  const work =
    left === 0 ? '' : `, and ${number(left, 'earlier call')} whose queries or other work go on`;
  return {
    retryAfterMs: 1000,
    problem: `has ${number(calls, 'call')} under way${work} (engine.auth.limit.concurrency = ${max})`,
  };
}

function perMinute(count: number): { readonly capacity: number; readonly perMs: number } {
  return { capacity: count, perMs: count / 60_000 };
}

/** The owner of one IPv6 address has the 2^64 of its network: they count as one. */
function networkOf(address = 'gone'): string {
  const unmapped = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(unmapped)) return unmapped;
  const [head = '', tail] = unmapped.split('%', 1)[0]?.toLowerCase().split('::') ?? [];
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
