import type { Settings } from '@quire/settings';
import { type Logger, pino } from 'pino';
import type { Environment } from '../environment.ts';
import { stylesFor } from '../styles.ts';
import { prettyLogLine } from './pretty-log-line.ts';

/** The log of a server, on standard error: lines for people on a terminal, one JSON object per line elsewhere. */
export function createLogger(settings: Settings['observability'], { stderr, variables }: Environment): Logger {
  const isPretty = settings.logFormat === 'pretty' || (settings.logFormat === 'auto' && stderr.isTerminal);
  const styles = stylesFor(stderr, variables);
  return pino(
    { level: settings.logLevel, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write: (line: string) => {
        // Nobody can be told that the log has no reader.
        stderr.write(isPretty ? prettyLogLine(line, styles) : line).catch(() => undefined);
      },
    },
  );
}
