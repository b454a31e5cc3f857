import type { Part } from './measure/part.ts';
import { pagesPart } from './pages/pages-part.ts';

/** All parts, in the order in which they run. */
export const parts: readonly Part[] = [pagesPart];
