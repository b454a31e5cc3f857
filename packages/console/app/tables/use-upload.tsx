import { type ReactNode, useRef, useState } from 'react';
import type { FileSending } from '../send-file.ts';

/** A file on its way to the server. */
export interface Upload {
  readonly isBusy: boolean;
  /** The part of the file that was sent, from 0 to 1. */
  readonly part: number;
  readonly cancel: () => void;
  /** Sends a file by `task`; a cancelled one resolves to undefined. @throws as `task` */
  readonly run: <Answer>(
    task: (sending: FileSending) => Promise<Answer>,
  ) => Promise<Answer | undefined>;
}

export function useUpload(): Upload {
  const [part, setPart] = useState<number>();
  const aborter = useRef<AbortController>(undefined);
  return {
    isBusy: part !== undefined,
    part: part ?? 0,
    cancel: () => aborter.current?.abort(),
    run: async (task) => {
      const { signal } = (aborter.current = new AbortController());
      setPart(0);
      try {
        return await task({ signal, onProgress: setPart });
      } catch (error) {
        if (!signal.aborted) throw error;
        return undefined;
      } finally {
        setPart(undefined);
      }
    },
  };
}

/** The progress of an upload, and the button that stops it. */
export function UploadProgress({
  upload,
  after,
}: {
  readonly upload: Upload;
  /** The action of the server once it has the whole file. */
  readonly after: string;
}): ReactNode {
  if (!upload.isBusy) return null;
  const percent = Math.round(upload.part * 100);
  return (
    <div className="toolbar" role="status">
      <progress max={100} value={percent} aria-label="Sent" />
      <span className="quiet number">{percent < 100 ? `${percent} % sent` : after}</span>
      <button type="button" className="button small" onClick={upload.cancel}>
        Cancel
      </button>
    </div>
  );
}
