import type { ReactNode } from 'react';
import type { GridColumn } from '../query/grid-columns.ts';

export function PlotPanel(_props: { readonly sql: string | undefined; readonly columns: readonly GridColumn[] }): ReactNode {
  return null;
}
