import { CommanderError } from '@commander-js/extra-typings';
import { type ErrorCode, isQuireError } from '@quire/core';
import { visibleText } from '@quire/core/portable';
import type { Environment } from './environment.ts';
import { stylesFor } from './styles.ts';

/** Hints on what to do about an error whose message does not say so. */
const hints: Partial<Record<ErrorCode, (environment: Environment) => string>> = {
  SERVER_UNREACHABLE: ({ invocation }) =>
    `Is a server running there? '${invocation} start' starts one; --url sets its address.`,
  UNAUTHENTICATED: () => 'Give --token or --user, or set QUIRE_TOKEN.',
};

/**
 * Reports on standard error why a command failed, and returns the exit code: 1, or 2 for wrong
 * usage.
 */
export async function reportFailure(error: unknown, environment: Environment): Promise<number> {
  // Commander has reported the problem already.
  if (error instanceof CommanderError) return 2;
  // `quire query … | head`: the reader has read enough.
  if (isQuireError(error, 'OUTPUT_CLOSED')) return 0;
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  for (const one of errors) {
    const text = await describeFailure(one, environment);
    // Without a reader of messages, the exit code alone reports it.
    await environment.stderr.write(text).catch(() => undefined);
  }
  return 1;
}

async function describeFailure(error: unknown, environment: Environment): Promise<string> {
  const styles = stylesFor(environment.stderr, environment.variables);
  const { bad, faint } = styles;
  if (!isQuireError(error)) {
    return `${bad('error INTERNAL:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
  }
  const sentences = error.message.split('\n').map((line) => visibleText(line));
  if (error.code === 'ABORTED') return `${sentences.join('\n')}\n`;
  const hint = hints[error.code]?.(environment);
  const widthMax = environment.stderr.isTerminal
    ? environment.stderr.size.columns
    : Number.POSITIVE_INFINITY;
  const { findings = [] } = error;
  return [
    // A single problem is shown after its code; several are listed below it, one per line.
    sentences.length === 1
      ? `${bad(`error ${error.code}:`)} ${sentences[0]}`
      : bad(`error ${error.code}:`),
    ...(sentences.length === 1 ? [] : sentences.map((sentence) => `  ${sentence}`)),
    // Loaded on demand, because measuring the width of a text needs large tables.
    ...(findings.length === 0
      ? []
      : (await import('./tables/render-findings.ts')).renderFindings(findings, {
          styles,
          widthMax,
        })),
    ...(hint === undefined ? [] : [faint(hint)]),
    '',
  ].join('\n');
}
