import type { PreviewCall } from '@quire/controller';
import type { Settings } from '@quire/settings';

/*
 * What passes between the controller and the processes that run its previews. It stands by itself, so that neither loads what the other works
 * with.
 */

/** A preview, with the live settings as they were when it came. */
export interface PreviewWork extends PreviewCall {
  readonly preview: Settings['preview'];
  readonly streams: Settings['streams'];
}

/** Called when a preview begins: the time that its process takes to start is not its own. */
export const previewBegins = 'preview begins';

/** The code of what ends a preview whose time is over. */
export const previewTooLong = 'QUERY_LIMIT_EXCEEDED';
