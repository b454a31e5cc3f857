import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../session.ts';

/** Whose result it is; asked for once the row is seen. */
export function OwnerCell({ requestId }: { readonly requestId: string }): ReactNode {
  const { owners } = useSession();
  const cell = useRef<HTMLTableCellElement>(null);
  const [owner, setOwner] = useState<string | null>();
  useEffect(() => {
    const { current } = cell;
    if (current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void owners.read(requestId).then((found) => setOwner(found ?? null));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [owners, requestId]);
  return (
    <td ref={cell} aria-busy={owner === undefined}>
      {owner === null ? <span className="null">not known</span> : (owner ?? '…')}
    </td>
  );
}
