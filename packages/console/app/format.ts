import { formatBytes } from '@quire/core/portable';

const whole = new Intl.NumberFormat('en');

export function formatCount(count: number): string {
  return whole.format(count);
}

export { formatBytes };

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats a timestamp in the user's time zone. */
export function formatTime(ms: number): string {
  return moment.format(ms);
}

/** Formats a duration in its two largest units: `2 h 5 min`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return seconds % 60 === 0 || minutes >= 10
      ? `${minutes} min`
      : `${minutes} min ${seconds % 60} s`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats the duration of a query. */
export function formatElapsed(ms: number): string {
  return ms < 1000
    ? `${Math.round(ms)} ms`
    : ms < 60_000
      ? `${(ms / 1000).toFixed(1)} s`
      : formatSpan(ms);
}

/** Returns `1 row`, `2 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
