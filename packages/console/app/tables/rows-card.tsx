import type { ReactNode } from 'react';
import { counted, formatBytes } from '../format.ts';
import { Choice } from '../widgets/choice.tsx';
import { Card } from '../widgets/page.tsx';
import { delimiters } from './delimiter.ts';
import type { ReadRows } from './read-rows.ts';
import { uploadEnds } from './file-format.ts';
import { type Upload, UploadProgress } from './use-upload.tsx';

/** The rows to preview, pasted or in a file, and the name of their table. */
export function RowsCard({
  text,
  file,
  read,
  delimiter,
  isSampled,
  name,
  isBusy,
  upload,
  onText,
  onFile,
  onDelimiter,
  onName,
  onPreview,
}: {
  readonly text: string;
  readonly file: File | undefined;
  /** The rows of the text. */
  readonly read: ReadRows;
  /** Separates the cells of the text; undefined if it is not CSV. */
  readonly delimiter: string | undefined;
  /** True if the server samples the file. */
  readonly isSampled: boolean;
  readonly name: string;
  readonly isBusy: boolean;
  readonly upload: Upload;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
  readonly onDelimiter: (delimiter: string) => void;
  readonly onName: (name: string) => void;
  readonly onPreview: () => void;
}): ReactNode {
  return (
    <Card title="Rows">
      <div
        className="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          onFile(event.dataTransfer.files[0]);
        }}
      >
        <label className="field">
          <span>
            Paste rows (JSON lines, a JSON array, or CSV with a header line), or drop a file of any
            kind that can be loaded
          </span>
          <textarea
            rows={8}
            value={text}
            spellCheck={false}
            onChange={(event) => onText(event.target.value)}
          />
        </label>
        <div className="toolbar">
          <label className="button">
            Choose a file
            <input
              type="file"
              className="hidden-text"
              accept={uploadEnds.join(',')}
              onChange={(event) => onFile(event.target.files?.[0])}
            />
          </label>
          {delimiter !== undefined && (
            <Choice
              label="Separated by"
              value={delimiter}
              options={delimiters}
              onChange={onDelimiter}
            />
          )}
          <label className="choice">
            <span>Name of the table</span>
            <input value={name} onChange={(event) => onName(event.target.value)} />
          </label>
          <span className="quiet">
            {text !== '' && counted(read.rows.length, 'row')}
            {file !== undefined &&
              `${text === '' ? '' : ' of '}${file.name}, ${formatBytes(file.size)}`}
            {isSampled && ': the server samples it'}
          </span>
          <button
            type="button"
            className="button main push"
            disabled={isBusy || (!isSampled && read.rows.length === 0)}
            onClick={onPreview}
          >
            {isBusy ? 'Looking…' : 'Preview'}
          </button>
        </div>
        <UploadProgress upload={upload} after="The server reads it…" />
        {read.problem !== undefined && (
          <div className="notice warn" role="alert">
            <p>{read.problem}</p>
          </div>
        )}
      </div>
    </Card>
  );
}
