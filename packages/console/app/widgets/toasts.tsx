import { systemClock } from '@quire/core/portable';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { messageOf } from './states.tsx';

interface Toasts {
  /** Shows the outcome of an action for a few seconds. */
  readonly say: (text: string) => void;
  /** Performs an action, and reports its outcome. */
  readonly attempt: (task: () => Promise<string>) => void;
}

const shownMs = 5000;
const ToastsContext = createContext<Toasts>({ say: () => undefined, attempt: () => undefined });

export function useToasts(): Toasts {
  return useContext(ToastsContext);
}

export function ToastsProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [texts, setTexts] = useState<readonly { readonly id: symbol; readonly text: string }[]>([]);
  const say = useCallback((text: string) => {
    const id = Symbol(text);
    setTexts((before) => [...before, { id, text }]);
    void systemClock
      .sleep(shownMs)
      .then(() => setTexts((before) => before.filter((toast) => toast.id !== id)));
  }, []);
  const attempt = useCallback(
    (task: () => Promise<string>) => {
      task().then(say, (error: unknown) => say(messageOf(error)));
    },
    [say],
  );
  const value = useMemo(() => ({ say, attempt }), [say, attempt]);
  return (
    <ToastsContext value={value}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {texts.map(({ id, text }) => (
          <div
            className="toast"
            key={String(id.description) + texts.findIndex((toast) => toast.id === id)}
          >
            {text}
          </div>
        ))}
      </div>
    </ToastsContext>
  );
}
