import type { BrokerOptions } from '@quire/broker';

/** One line of a log, as pino would write it. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** A logger that keeps its lines, with the bindings of its children, in `lines`. */
export function recordingLogger(
  lines: LogLine[],
  bindings: object = {},
): NonNullable<BrokerOptions['logger']> {
  const write = (level: string) => (first: unknown, second?: string) => {
    const line =
      typeof first === 'string' ? { msg: first } : { ...(first as object), msg: second ?? '' };
    lines.push({ level, ...bindings, ...line });
  };
  return {
    level: 'trace',
    silent: () => undefined,
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
    child: (more: object) => recordingLogger(lines, { ...bindings, ...more }),
  };
}

/** Resolves once a line with this message is logged. */
export async function untilLogged(lines: readonly LogLine[], msg: string): Promise<void> {
  while (!lines.some((line) => line.msg === msg)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
