import type { CallOptions } from '@quire/core';
import type { FileFinder, PreviewLimits, PreviewStream } from '@quire/tables';

/** What previews may do; read at every call, so that a getter makes it live. */
export interface ControllerPreviewOptions {
  /** The largest body of a preview, in bytes. Fixed when the controller is made. */
  readonly bodyBytesMax: number;
  readonly limits: Partial<PreviewLimits>;
  /**
   * Previews that run at once; further ones wait. While others wait, at most half are of one
   * principal; one is for admins, where there are three or more.
   */
  readonly concurrencyMax: number;
  /**
   * Previews that may wait, each with its body in memory; beyond it, only those of principals with
   * less than an equal share of the queue, and of admins. Default 8.
   */
  readonly waitingMax?: number;
  /** How many of one principal may wait; default 4. */
  readonly principalWaitingMax?: number;
  /**
   * The directory for files that callers send to have them sampled, each until its preview ends;
   * default: the system's directory for temporary files.
   */
  readonly uploadDirectory?: string | undefined;
  /** Finds files that admins may preview. Left out: there are none. */
  readonly finder?: FileFinder | undefined;
  /**
   * Opens streams that admins may preview. Left out: there are none. @throws STREAM_INVALID when
   * one may not be read
   */
  readonly openStream?: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  /**
   * Runs previews somewhere else, such as in a process of a pool, with the limits, files and
   * streams that it has there. It settles only when nothing of the preview runs any more. Left out:
   * they run in this process, as the options above say.
   */
  readonly run?: RunPreview | undefined;
}

/** Gives the answer of a preview, as JSON. @throws QuireErrors, which are answered as such */
export type RunPreview = (call: PreviewCall, options: CallOptions) => Promise<Uint8Array>;

/** A preview to make. */
export interface PreviewCall {
  /** The body of the request, as it came. */
  readonly body: string;
  /** Whether it may read files and streams, which is for admins. */
  readonly mayReadSources: boolean;
  /** The file that the caller has sent, to sample in place of any other. */
  readonly upload?: { readonly path: string; readonly name: string } | undefined;
}

/** What holds where nobody says anything: rows of requests only. */
export const previewDefaults: ControllerPreviewOptions = {
  bodyBytesMax: 16 * 1024 * 1024,
  limits: {},
  concurrencyMax: 4,
};
