import type { DownloadFormat } from '@quire/client';
import { pageFormatNames, pageFormats } from '@quire/core/wire';
import { type ReactNode, useState } from 'react';
import { counted } from '../format.ts';
import { useSession } from '../session.ts';
import { Menu } from '../widgets/menu.tsx';
import { messageOf } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { downloadResult } from './download-result.ts';
import type { OpenResult } from './result-pages.ts';

/** The whole result as a file; while it comes, how much of it is there. */
export function DownloadMenu({ result }: { readonly result: OpenResult }): ReactNode {
  const { client } = useSession();
  const { say } = useToasts();
  const [running, setRunning] = useState<{
    readonly format: DownloadFormat;
    readonly rowCount: number;
    readonly stop: AbortController;
  }>();
  const start = async (format: DownloadFormat): Promise<void> => {
    const stop = new AbortController();
    setRunning({ format, rowCount: 0, stop });
    try {
      const onProgress = (rowCount: number): void => setRunning({ format, rowCount, stop });
      await downloadResult(client, result, { format, onProgress, signal: stop.signal });
      say(`Downloaded ${counted(result.totalRowCount, 'row')}.`);
    } catch (error) {
      say(stop.signal.aborted ? 'The download was stopped.' : messageOf(error));
    } finally {
      setRunning(undefined);
    }
  };
  if (running !== undefined) {
    const { format, rowCount, stop } = running;
    return (
      <span className="download" role="status">
        <progress
          max={Math.max(1, result.totalRowCount)}
          value={rowCount}
          aria-label={`Download as ${format}`}
        />
        <span className="number">
          {Math.floor((100 * rowCount) / Math.max(1, result.totalRowCount))} %
        </span>
        <button type="button" className="button small plain" onClick={() => stop.abort()}>
          Stop
        </button>
      </span>
    );
  }
  return (
    <Menu label="Download">
      {pageFormatNames.map((format) => {
        const { title, purpose } = pageFormats[format];
        return (
          <button key={format} type="button" onClick={() => void start(format)}>
            {title}{' '}
            <small className="quiet">
              {format === 'csv' ? `${purpose}, formulas escaped` : purpose}
            </small>
          </button>
        );
      })}
    </Menu>
  );
}
