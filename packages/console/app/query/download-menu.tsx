import { pageFormatNames, pageFormats } from '@quire/core/wire';
import { type ReactNode, useState } from 'react';
import { counted, formatCount } from '../format.ts';
import { useSession } from '../session.ts';
import { Menu } from '../widgets/menu.tsx';
import { messageOf } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { downloadResult, type FileFormat } from './download-result.ts';
import { excelRowsMax } from './excel-limits.ts';
import type { OpenResult } from './result-pages.ts';

/** Downloads the whole result as a file, and shows the progress. */
export function DownloadMenu({ result }: { readonly result: OpenResult }): ReactNode {
  const { client } = useSession();
  const { say } = useToasts();
  const [running, setRunning] = useState<{
    readonly format: FileFormat;
    readonly rowCount: number;
    readonly stop: AbortController;
  }>();
  const rowCountOf = (format: FileFormat): number =>
    format === 'excel' ? Math.min(excelRowsMax, result.totalRowCount) : result.totalRowCount;
  const start = async (format: FileFormat): Promise<void> => {
    const stop = new AbortController();
    setRunning({ format, rowCount: 0, stop });
    try {
      const onProgress = (rowCount: number): void => setRunning({ format, rowCount, stop });
      await downloadResult(client, result, { format, onProgress, signal: stop.signal });
      const isCut = rowCountOf(format) < result.totalRowCount;
      say(`Downloaded ${isCut ? 'the first ' : ''}${counted(rowCountOf(format), 'row')}.`);
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
          max={Math.max(1, rowCountOf(format))}
          value={rowCount}
          aria-label={`Download as ${format}`}
        />
        <span className="number">
          {Math.floor((100 * rowCount) / Math.max(1, rowCountOf(format)))} %
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
      <button type="button" onClick={() => void start('excel')}>
        Excel{' '}
        <small className="quiet">
          {result.totalRowCount > excelRowsMax
            ? `the first ${formatCount(excelRowsMax)} rows: the limit of a sheet`
            : 'a workbook of one sheet'}
        </small>
      </button>
    </Menu>
  );
}
