import { type ReactNode, useRef, useState } from 'react';
import { formatBytes } from '../format.ts';
import { useSession } from '../session.ts';
import { Card } from '../widgets/page.tsx';
import { Failed } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { uploadEnds, uploadFile } from './upload.ts';

/** Loads a file of the reader's into a table. The server takes it whole or not at all. */
export function LoadCard({
  table,
  onLoaded,
}: {
  readonly table: string;
  readonly onLoaded: () => void;
}): ReactNode {
  const { admin } = useSession();
  const { say } = useToasts();
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const aborter = useRef<AbortController>(undefined);
  const load = async (chosen: File): Promise<void> => {
    const { signal } = (aborter.current = new AbortController());
    setIsBusy(true);
    setError(undefined);
    try {
      say(await uploadFile(admin, table, { name: chosen.name, content: chosen }, signal));
      setFile(undefined);
      onLoaded();
    } catch (caught) {
      if (!signal.aborted) setError(caught);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Card title="Load a file">
      <div className="toolbar">
        <label className="button">
          {file === undefined ? 'Choose a file' : 'Choose another'}
          <input
            type="file"
            className="hidden-text"
            accept={uploadEnds.join(',')}
            disabled={isBusy}
            onChange={(event) => setFile(event.target.files?.[0])}
          />
        </label>
        {file === undefined ? (
          <span className="quiet">CSV, JSON lines, Parquet, Arrow or Avro.</span>
        ) : (
          <span>
            {file.name} <span className="quiet">{formatBytes(file.size)}</span>
          </span>
        )}
        {file !== undefined && (
          <button
            type="button"
            className="button main push"
            disabled={isBusy}
            onClick={() => void load(file)}
          >
            {isBusy ? 'Loading…' : 'Load'}
          </button>
        )}
        {isBusy && (
          <button type="button" className="button" onClick={() => aborter.current?.abort()}>
            Cancel
          </button>
        )}
      </div>
      {error !== undefined && <Failed error={error} />}
    </Card>
  );
}
