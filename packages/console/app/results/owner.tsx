import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../session.ts';
import { useSeen } from '../use-seen.ts';

/** Whose result it is; asked for once the row is seen. */
export function Owner({ requestId }: { readonly requestId: string }): ReactNode {
  const { owners } = useSession();
  const mark = useRef<HTMLSpanElement>(null);
  const isSeen = useSeen(mark);
  const [owner, setOwner] = useState<string | null>();
  useEffect(() => {
    if (isSeen) void owners.read(requestId).then((found) => setOwner(found ?? null));
  }, [isSeen, owners, requestId]);
  return (
    <span ref={mark} aria-busy={owner === undefined}>
      {owner === null ? <span className="null">not known</span> : (owner ?? '…')}
    </span>
  );
}
