import { type ReactNode, useState } from 'react';
import { expirationHeader, pagePath } from '@quire/api';
import { formatSpan, formatTime } from '../format.ts';
import { type Session, useSession } from '../session.ts';
import { useNow, useResource } from '../use-resource.ts';
import { useToasts } from '../widgets/toasts.tsx';

/** A result that expires sooner than this is marked. */
const soonMs = 5 * 60_000;
const renewals = ['1h', '6h', '1d'];

/** The remaining time of a result, and a button to extend it. */
export function Expiry({
  requestId,
  onExpired,
}: {
  readonly requestId: string;
  readonly onExpired: () => void;
}): ReactNode {
  const session = useSession();
  const { attempt } = useToasts();
  const nowMs = useNow(1000);
  const [renewedMs, setRenewedMs] = useState<number>();
  const read = useResource(`expiry ${requestId}`, (signal) =>
    readExpirationMs(session, requestId, signal),
  );
  const expirationMs = renewedMs ?? read.value;
  if (expirationMs === undefined) return null;
  const leftMs = expirationMs - nowMs;
  if (leftMs <= 0) queueMicrotask(onExpired);
  const renew = (duration: string): void =>
    attempt(async () => {
      const { expirationTimeMs } = await session.client.renew(requestId, duration);
      setRenewedMs(expirationTimeMs);
      return `Kept until ${formatTime(expirationTimeMs)}.`;
    });
  return (
    <span className="expiry">
      <span
        className={leftMs < soonMs ? 'badge warn number' : 'badge number'}
        title={`Expires ${formatTime(expirationMs)}`}
      >
        {leftMs <= 0 ? 'expired' : `${formatSpan(leftMs)} left`}
      </span>
      {leftMs > 0 && (
        <select
          aria-label="Keep the result for"
          value=""
          onChange={(event) => renew(event.target.value)}
        >
          <option value="" disabled>
            Renew…
          </option>
          {renewals.map((duration) => (
            <option key={duration} value={duration}>
              keep for {duration}
            </option>
          ))}
        </select>
      )}
    </span>
  );
}

/** Every page has the expiration of its result; a page of one row is the fastest. */
async function readExpirationMs(
  { fetch: send }: Session,
  requestId: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const response = await send(`${pagePath(requestId)}?offset=0&numRows=1&format=arrow`, {
    signal,
  });
  await response.arrayBuffer();
  const text = response.headers.get(expirationHeader);
  return text === null ? undefined : Number(text);
}
