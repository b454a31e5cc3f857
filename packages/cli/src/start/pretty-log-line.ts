import { pino } from 'pino';
import type { Styles } from '../styles.ts';
import { printable } from '../table/cell-text.ts';

/** Members of every entry, which say nothing on a terminal, and those that have a place of their own. */
const placedMembers = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/** Rewrites one JSON line of the log as a line for people: `12:34:56 info  query stored  rowCount=12 sizeBytes=4096`. */
export function prettyLogLine(line: string, styles: Styles): string {
  const entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const { level, time, msg, err } = entry;
  const levelName = (typeof level === 'number' ? pino.levels.labels[level] : undefined) ?? 'log';
  const members = Object.entries(entry)
    .filter(([name]) => !placedMembers.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const paint = levelName === 'error' || levelName === 'fatal' ? styles.bad : levelName === 'warn' ? styles.strong : styles.faint;
  const head = `${styles.faint(String(time).slice(11, 19))} ${paint(levelName.padEnd(5))} ${printable(typeof msg === 'string' ? msg : '')}`;
  return `${head}${styles.faint(printable(members.map((member) => `  ${member}`).join('')))}\n${stackOf(err)}`;
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return '';
  return String(error.stack)
    .split('\n')
    .map((stackLine) => `         ${printable(stackLine)}\n`)
    .join('');
}
