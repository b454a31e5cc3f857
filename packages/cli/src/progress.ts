import { isQuireError } from '@quire/core';
import type { Environment } from './environment.ts';
import { formatElapsed } from './phrases.ts';
import { stylesFor } from './styles.ts';
import { cutText } from './table/text-width.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
const clearLine = '\r\u001b[K';

/**
 * A line on the terminal's standard error that shows the duration of an operation, until disposed.
 */
export interface Progress extends AsyncDisposable {
  /** Sets the progress, for example `12% of 3,000,000 rows`. */
  say(detail: string): void;
}

/**
 * Shows that an operation is running. Shows nothing if standard error is not a terminal, or the
 * operation ends immediately.
 */
export function showProgress(environment: Environment, label: string): Progress {
  const { clock, stderr } = environment;
  const aborter = new AbortController();
  const startMs = clock.monotonicMs();
  let detail = '';
  const turn = async (): Promise<void> => {
    for (let frame = 0; ; frame += 1) {
      await clock.sleep(frameMs, aborter.signal);
      const { good, faint } = stylesFor(stderr, environment.variables);
      const words = [label, detail, formatElapsed(clock.monotonicMs() - startMs)]
        .filter((word) => word !== '')
        .join('  ');
      const text = cutText(`${words}   Ctrl-C cancels`, stderr.size.columns - 3).text;
      await stderr.write(`${clearLine}${good(frames[frame % frames.length] ?? '')} ${faint(text)}`);
    }
  };
  const turning = stderr.isTerminal ? turn().catch(ignoreEnd) : undefined;
  return {
    say: (text) => {
      detail = text;
    },
    [Symbol.asyncDispose]: async () => {
      aborter.abort();
      if (turning === undefined) return;
      await turning;
      await stderr.write(clearLine);
    },
  };
}

function ignoreEnd(error: unknown): void {
  // It was disposed, or the reader has closed the output: nothing is left to show.
  if (!isQuireError(error, 'ABORTED', 'OUTPUT_CLOSED')) throw error;
}
