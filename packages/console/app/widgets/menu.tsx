import { type ReactNode, useEffect, useRef } from 'react';

/**
 * A button that opens a list of others. It closes after a choice, by Escape, and by a click
 * elsewhere.
 */
export function Menu({
  label,
  children,
  fromStart = false,
  stays = false,
}: {
  readonly label: ReactNode;
  readonly children: ReactNode;
  readonly fromStart?: boolean;
  /** True if it stays open after a choice, for a list of check boxes. */
  readonly stays?: boolean;
}): ReactNode {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const { current } = element;
      if (current?.open !== true) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        current.querySelector('summary')?.focus();
      } else if (event.target instanceof Node && current.contains(event.target)) return;
      current.open = false;
    };
    document.addEventListener('pointerdown', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('pointerdown', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  const onChoice = (): void => {
    if (!stays && element.current !== null) element.current.open = false;
  };
  return (
    <details className="menu" ref={element}>
      <summary className="button small">{label}</summary>
      {/* Choices are buttons and boxes of their own; this only closes behind them. */}
      <div
        className={fromStart ? 'menu-items from-start' : 'menu-items'}
        onClickCapture={() => queueMicrotask(onChoice)}
      >
        {children}
      </div>
    </details>
  );
}
