import { type ReactNode, useEffect, useState } from 'react';
import { formatSpan, formatTime } from '../format.ts';
import { useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { useToasts } from '../widgets/toasts.tsx';
import { expirationOf, readExpirationMs, type Renewal } from './expiration.ts';
import { isGone } from './gone-result.tsx';

/** A result that expires sooner than this is marked. */
const soonMs = 5 * 60_000;
const durations = ['1h', '6h', '1d'];
/** The interval at which the server is asked about a result that should have expired. */
const dueMs = 15_000;

/**
 * The remaining time of a result, and a button to extend it. Only the server says that a result has
 * expired: others may have renewed it, and clocks differ.
 */
export function Expiry({
  requestId,
  onGone,
}: {
  readonly requestId: string;
  /** Called with the server's error once the result no longer exists. */
  readonly onGone: (error: unknown) => void;
}): ReactNode {
  const { client, fetch: send } = useSession();
  const { attempt } = useToasts();
  const nowMs = useNow(1000);
  const [renewal, setRenewal] = useState<Renewal>();
  const [isDue, setIsDue] = useState(false);
  const read = useResource(
    `expiry ${requestId}`,
    (signal) => readExpirationMs(send, requestId, signal),
    isDue ? { everyMs: dueMs } : {},
  );
  const expirationMs = expirationOf(read.value, renewal);
  const leftMs = expirationMs === undefined ? Infinity : expirationMs - nowMs;
  if (isDue !== leftMs <= 0) setIsDue(leftMs <= 0);
  const { error } = read;
  useEffect(() => {
    if (isGone(error)) onGone(error);
  }, [error, onGone]);
  if (expirationMs === undefined) return null;
  const renew = (duration: string): void =>
    attempt(async () => {
      const { expirationTimeMs } = await client.renew(requestId, duration);
      setRenewal({ expirationMs: expirationTimeMs, replacedMs: read.value });
      return `Kept until ${formatTime(expirationTimeMs)}.`;
    });
  return (
    <span className="expiry">
      <span
        className={leftMs < soonMs ? 'badge warn number' : 'badge number'}
        title={`Expires ${formatTime(expirationMs)}`}
      >
        {isDue ? 'expiring' : `${formatSpan(leftMs)} left`}
      </span>
      <select
        aria-label="Keep the result for"
        value=""
        onChange={(event) => renew(event.target.value)}
      >
        <option value="" disabled>
          Renew…
        </option>
        {durations.map((duration) => (
          <option key={duration} value={duration}>
            keep for {duration}
          </option>
        ))}
      </select>
    </span>
  );
}
