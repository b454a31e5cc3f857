import { useEffect, useState } from 'react';

/** What is about to come into view counts as seen. */
const marginAhead = '100px';

/** Tells whether an element has been seen, once it has come into view. */
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
