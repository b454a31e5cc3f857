import type { CallOptions } from '@quire/core';
import type { FileFinder, PreviewLimits, PreviewStream } from '@quire/tables';

/** The limits of previews; read at every call, so a getter makes them live. */
export interface ControllerPreviewOptions {
  /** The maximum size of the body of a preview, in bytes. Fixed when the controller is created. */
  readonly bodyBytesMax: number;
  readonly limits: Partial<PreviewLimits>;
  /**
   * The maximum number of concurrent previews; further ones wait. While others wait, one principal
   * runs at most half; one slot is for admins if there are three or more.
   */
  readonly concurrencyMax: number;
  /**
   * The maximum number of waiting previews, each with its body in memory. Beyond that, only
   * previews of principals with less than an equal share of the queue and of admins are queued. 8
   * by default.
   */
  readonly waitingMax?: number;
  /** The maximum number of waiting previews of one principal; 4 by default. */
  readonly principalWaitingMax?: number;
  /**
   * The directory for files that callers send to have them sampled, each until its preview ends;
   * default: the system's directory for temporary files.
   */
  readonly uploadDirectory?: string | undefined;
  /** Finds files that admins may preview. Without it there are none. */
  readonly finder?: FileFinder | undefined;
  /**
   * Opens streams that admins may preview. Without it there are none. @throws STREAM_INVALID when
   * one may not be read
   */
  readonly openStream?: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  /**
   * Runs previews elsewhere, such as in a process of a pool, with its own limits, files and
   * streams. Settles only once the preview has ended completely. By default, previews run in this
   * process with the options above.
   */
  readonly run?: RunPreview | undefined;
}

/** Returns the response of a preview as JSON. @throws QuireErrors, which become the response */
export type RunPreview = (call: PreviewCall, options: CallOptions) => Promise<Uint8Array>;

/** A preview to run. */
export interface PreviewCall {
  /** The body of the request, unparsed. */
  readonly body: string;
  /** True if it may read files and streams, which is for admins. */
  readonly mayReadSources: boolean;
  /** The file that the caller has sent, which is sampled instead of any other. */
  readonly upload?: { readonly path: string; readonly name: string } | undefined;
  /** `inputFormat` and `recordReader.prop.…` of the file. */
  readonly batchConfig?: Readonly<Record<string, string>> | undefined;
}

/** The defaults: previews use only the rows in their requests. */
export const previewDefaults: ControllerPreviewOptions = {
  bodyBytesMax: 16 * 1024 * 1024,
  limits: {},
  concurrencyMax: 4,
};
