export { type ApiDocument, apiReference } from './api-reference.ts';
export { element, type PageElement, type PageNode, toHtml } from './element.ts';
export { referenceStyle } from './reference-style.ts';
export { type ReferenceRoot, runReference } from './run-reference.ts';
export type { ApiContent, ApiOperation, ApiParameter, ApiSchema } from './try-form.ts';
