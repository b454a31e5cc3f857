import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useSession } from '../session.ts';

/** Whose result it is; asked for once the row is seen. */
export function Owner({ requestId }: { readonly requestId: string }): ReactNode {
  const { owners } = useSession();
  const mark = useRef<HTMLSpanElement>(null);
  const [owner, setOwner] = useState<string | null>();
  useEffect(() => {
    const { current } = mark;
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
    <span ref={mark} aria-busy={owner === undefined}>
      {owner === null ? <span className="null">not known</span> : (owner ?? '…')}
    </span>
  );
}
