import { useRef, useState } from 'react';
import { likelyDelimiter } from './delimiter.ts';
import { formatOfName, isPlainText } from './file-format.ts';
import { isCsv, pastedFile, type ReadRows, readRows } from './read-rows.ts';
import type { LoadableFile } from './upload.ts';

/** The rows to preview: a text, or a file. */
export interface PreviewedRows {
  readonly text: string;
  /** The file that the text is the beginning of, or that the server samples. */
  readonly file: File | undefined;
  /** The file, if the server samples it. */
  readonly sampled: File | undefined;
  /** Separates the cells of CSV; undefined for other rows. */
  readonly delimiter: string | undefined;
  readonly read: ReadRows;
  readonly setDelimiter: (delimiter: string) => void;
  /** Returns all rows as a file. @throws Error when the text has an unreadable row */
  readonly toLoad: () => LoadableFile;
  readonly write: (text: string) => void;
  readonly choose: (file: File) => void;
}

export function useRows(): PreviewedRows {
  const [text, setText] = useState('');
  const [file, setFile] = useState<File>();
  const [isSampled, setIsSampled] = useState(false);
  /** The chosen one; if undefined, the likely one of the text is used. */
  const [chosenDelimiter, setDelimiter] = useState<string>();
  const latest = useRef<File>(undefined);
  const sampled = isSampled ? file : undefined;
  const hasCells = sampled === undefined ? isCsv(text) : formatOfName(sampled.name) === 'csv';
  const delimiter = hasCells ? (chosenDelimiter ?? likelyDelimiter(text)) : undefined;
  const show = (next: string, chosen: File | undefined, isForServer: boolean): void => {
    latest.current = chosen;
    setText(next);
    setFile(chosen);
    setIsSampled(isForServer);
  };
  return {
    text,
    file,
    sampled,
    delimiter,
    read: readRows(text, { delimiter }),
    setDelimiter,
    toLoad: () =>
      file === undefined
        ? pastedFile(text, delimiter)
        : { name: file.name, content: file, delimiter },
    write: (next) => show(next, undefined, false),
    choose: (chosen) => {
      setDelimiter(undefined);
      const isText = isPlainText(chosen.name);
      show('', chosen, !isText);
      if (!isText) return;
      void beginningOf(chosen).then((beginning) => {
        // Another file, or a text, may have been chosen since.
        if (latest.current === chosen) show(beginning ?? '', chosen, beginning === undefined);
      });
    },
  };
}

/** The number of bytes of a file that are read for the preview; the rest stays on the disk. */
const beginningBytes = 512 * 1024;

/**
 * Returns the beginning of a file, up to the end of a line; undefined if no row of it can be read,
 * such as of a long array, or of a file that was deleted.
 */
async function beginningOf(file: File): Promise<string | undefined> {
  const text = await file
    .slice(0, beginningBytes)
    .text()
    .catch(() => undefined);
  if (text === undefined || file.size <= beginningBytes) return text;
  const lines = text.slice(0, text.lastIndexOf('\n') + 1);
  return readRows(lines, { rowsMax: 1 }).rows.length === 0 ? undefined : lines;
}
