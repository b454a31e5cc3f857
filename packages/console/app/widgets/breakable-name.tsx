import { Fragment, type ReactNode } from 'react';
import { visibleText } from '@quire/core/portable';

/** A long name, such as that of a task, which wraps between its words where space is short. */
export function BreakableName({ name }: { readonly name: string }): ReactNode {
  return visibleText(name)
    .split(/(?<=[_.-])|(?<=[a-z])(?=[A-Z])/)
    .map((part, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ));
}
