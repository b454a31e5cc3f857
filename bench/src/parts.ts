import { flightPart } from './flight/flight-part.ts';
import { ingestPart } from './ingest/ingest-part.ts';
import { coresPart } from './cores/cores-part.ts';
import { encodePart } from './encode/encode-part.ts';
import type { Part } from './measure/part.ts';
import { memoryPart } from './memory/memory-part.ts';
import { pagesPart } from './pages/pages-part.ts';
import { pinotPart } from './pinot/pinot-part.ts';
import { previewPart } from './preview/preview-part.ts';
import { processorPart } from './processor/processor-part.ts';
import { proxyPart } from './proxy/proxy-part.ts';
import { scalePart } from './scale/scale-part.ts';
import { startPart } from './start/start-part.ts';
import { remoteLargePart } from './remote/remote-large-part.ts';
import { remotePart } from './remote/remote-part.ts';
import { sweepPart } from './sweep/sweep-part.ts';
import { tablesPart } from './tables/tables-part.ts';
import { tracesPart } from './traces/traces-part.ts';
import { workersPart } from './workers/workers-part.ts';
import { writePart } from './write/write-part.ts';

/** All parts, in the order in which they run. */
export const parts: readonly Part[] = [
  pagesPart,
  encodePart,
  writePart,
  workersPart,
  memoryPart,
  sweepPart,
  startPart,
  proxyPart,
  flightPart,
  previewPart,
  ingestPart,
  tablesPart,
  remotePart,
  remoteLargePart,
  processorPart,
  coresPart,
  tracesPart,
  pinotPart,
  scalePart,
];
