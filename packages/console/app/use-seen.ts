import { useEffect, useState } from 'react';

/** The distance from the viewport within which an element counts as visible. */
const marginAhead = '100px';

/** Reports whether an element has been visible. */
export function useSeen(mark: { readonly current: Element | null }): boolean {
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const { current } = mark;
    if (current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setIsSeen(true);
      },
      { rootMargin: marginAhead },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [mark]);
  return isSeen;
}
