import { visibleText } from '@quire/core/portable';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../session.ts';
import { useSeen } from '../use-seen.ts';
import type { ResultDetails } from './result-details.ts';

/** The owner of a result; requested once its row is visible. */
export function Owner({ requestId }: { readonly requestId: string }): ReactNode {
  return (
    <Details requestId={requestId}>
      {(details) => details?.owner ?? <span className="null">not known</span>}
    </Details>
  );
}

/** Its query, in one line; requested once the row is visible. */
export function QueryText({ requestId }: { readonly requestId: string }): ReactNode {
  return (
    <Details requestId={requestId}>
      {(details) => <QueryLine sql={details?.sql ?? undefined} />}
    </Details>
  );
}

/** A query in one line. */
export function QueryLine({ sql }: { readonly sql: string | undefined }): ReactNode {
  return sql === undefined ? (
    <span className="null">query not known</span>
  ) : (
    <code title={visibleText(sql)}>{visibleText(sql.replaceAll(/\s+/g, ' ').slice(0, 200))}</code>
  );
}

function Details({
  requestId,
  children,
}: {
  readonly requestId: string;
  readonly children: (details: ResultDetails | undefined) => ReactNode;
}): ReactNode {
  const { details } = useSession();
  const mark = useRef<HTMLSpanElement>(null);
  const isSeen = useSeen(mark);
  const [found, setFound] = useState<ResultDetails | null>();
  useEffect(() => {
    if (isSeen) void details.read(requestId).then((read) => setFound(read ?? null));
  }, [isSeen, details, requestId]);
  return (
    <span ref={mark} aria-busy={found === undefined}>
      {found === undefined ? '…' : children(found ?? undefined)}
    </span>
  );
}
