import { type ReactNode, useRef, useState } from 'react';
import { formatBytes } from '../format.ts';
import { useSession } from '../session.ts';
import { Choice } from '../widgets/choice.tsx';
import { Card } from '../widgets/page.tsx';
import { Failed } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { delimiterOfFile, delimiters } from './delimiter.ts';
import { type Finding, FindingList } from './preview-parts.tsx';
import { uploadEnds } from './file-format.ts';
import { uploadFile } from './upload.ts';
import { UploadProgress, useUpload } from './use-upload.tsx';

/** Loads a file of the user into a table. The server accepts it completely or not at all. */
export function LoadCard({
  table,
  onLoaded,
}: {
  readonly table: string;
  readonly onLoaded: () => void;
}): ReactNode {
  const { sendFile } = useSession();
  const { say } = useToasts();
  const [file, setFile] = useState<File>();
  /** Separates the cells of the file; undefined if it is not CSV. */
  const [delimiter, setDelimiter] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const upload = useUpload();
  const latest = useRef<File>(undefined);
  const choose = async (chosen: File | undefined): Promise<void> => {
    latest.current = chosen;
    const likely = chosen === undefined ? undefined : await delimiterOfFile(chosen);
    // Another file may have been chosen since.
    if (latest.current !== chosen) return;
    setDelimiter(likely);
    setFile(chosen);
  };
  const load = async (chosen: File): Promise<void> => {
    setError(undefined);
    setFindings([]);
    try {
      const content = { name: chosen.name, content: chosen, delimiter };
      const loaded = await upload.run((sending) => uploadFile(sendFile, table, content, sending));
      if (loaded === undefined) {
        say(`${chosen.name} was not loaded: it was cancelled.`);
        return;
      }
      say(loaded.sentence);
      setFindings(loaded.findings);
      setFile(undefined);
      onLoaded();
    } catch (caught) {
      setError(caught);
    }
  };
  return (
    <Card title="Load a file">
      <div className="document">
        <div className="toolbar">
          <label className="button">
            {file === undefined ? 'Choose a file' : 'Choose another'}
            <input
              type="file"
              className="hidden-text"
              accept={uploadEnds.join(',')}
              disabled={upload.isBusy}
              onChange={(event) => void choose(event.target.files?.[0])}
            />
          </label>
          {file === undefined ? (
            <span className="quiet">CSV, JSON lines, Parquet, Arrow or Avro.</span>
          ) : (
            <span>
              {file.name} <span className="quiet">{formatBytes(file.size)}</span>
            </span>
          )}
          {file !== undefined && delimiter !== undefined && (
            <Choice
              label="Separated by"
              value={delimiter}
              options={delimiters}
              onChange={setDelimiter}
            />
          )}
          {file !== undefined && (
            <button
              type="button"
              className="button main push"
              disabled={upload.isBusy}
              onClick={() => void load(file)}
            >
              {upload.isBusy ? 'Loading…' : 'Load'}
            </button>
          )}
        </div>
        <UploadProgress upload={upload} after="The server reads its rows…" />
        {error !== undefined && <Failed error={error} />}
        {findings.length > 0 && <FindingList findings={findings} document="" text="" />}
      </div>
    </Card>
  );
}
