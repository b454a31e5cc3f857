import type { Settings } from '@quire/settings';
import { visibleText } from '@quire/core/portable';
import { type Logger, pino } from 'pino';
import type { Environment } from './environment.ts';
import { type Styles, stylesFor } from './styles.ts';

/**
 * Returns a function that writes lines of a log to standard error: readable on a terminal, one JSON
 * object per line elsewhere.
 */
export function writeLog({
  stderr,
  variables,
}: Environment): (line: string, settings: Settings['observability']) => void {
  const styles = stylesFor(stderr, variables);
  return (line, { logFormat }) => {
    const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && stderr.isTerminal);
    // A log without a reader cannot report anything.
    stderr.write(isPretty ? prettyLogLine(line, styles) : line).catch(() => undefined);
  };
}

/** Creates the log of a command that reads a store directly. It reports errors. */
export function createLogger(
  settings: Settings['observability'],
  environment: Environment,
): Logger {
  const write = writeLog(environment);
  return pino(
    { level: settings.logLevel, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => write(line, settings) },
  );
}

/**
 * Members of every entry that are of no interest on a terminal, and those with a position of their
 * own.
 */
const placedMembers = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/**
 * Rewrites one JSON line of the log as a readable line: `12:34:56 info query stored rowCount=12
 * sizeBytes=4096`.
 */
export function prettyLogLine(line: string, styles: Styles): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { level, time, msg, err } = entry;
  const levelName = (typeof level === 'number' ? pino.levels.labels[level] : undefined) ?? 'log';
  const members = Object.entries(entry)
    .filter(([name]) => !placedMembers.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const paint =
    levelName === 'error' || levelName === 'fatal'
      ? styles.bad
      : levelName === 'warn'
        ? styles.strong
        : styles.faint;
  const head = `${styles.faint(String(time).slice(11, 19))} ${paint(levelName.padEnd(5))} ${visibleText(typeof msg === 'string' ? msg : '')}`;
  return `${head}${styles.faint(visibleText(members.map((member) => `  ${member}`).join('')))}\n${stackOf(err)}`;
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  return String(error.stack)
    .split('\n')
    .map((stackLine) => `         ${visibleText(stackLine)}\n`)
    .join('');
}
